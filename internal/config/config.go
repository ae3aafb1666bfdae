// Package config reads the environment into one typed struct and reports
// everything that is wrong with it at once.
//
// Start with [Read] for the variables and [Load] for the struct. Engines, turns and
// actions do not import this package: they get small options of their own. The switches
// of the action categories are with the categories (see actions.FlagsFromEnv).
package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/caarlos0/env/v11"
)

// Config has all settings, by subject. Besides the tags of the env package, a field has
//
//	doc       what it does, for the generated examples; compulsory
//	common    "yes" if most operators set it
//	editable  "yes" if operators may change it from Discord: it must neither widen
//	          access nor send anything elsewhere
//	example   a value worth showing where there is no default
//	builtin   the default, where another package applies it
//	enum      the only values, separated by commas
//	min, max  range of a number
//	path      "yes" if it is a path, which may begin with ~/ for the home directory
type Config struct {
	Discord   Discord   `doc:"Discord"`
	OpenAI    OpenAI    `doc:"OpenAI, or any OpenAI-compatible server"`
	Anthropic Anthropic `doc:"Anthropic"`
	Gemini    Gemini    `doc:"Google Gemini"`
	Router    Router    `doc:"OpenRouter"`
	Programs  Programs  `doc:"Command-line models on this machine"`
	Runtimes  Runtimes  `doc:"Which models are used, and how"`
	Budgets   Budgets   `doc:"Budgets"`
	Speech    Speech    `doc:"Voice messages and voice notes"`
	Voice     Voice     `doc:"Voice channels"`
	Search    Search    `doc:"Web search"`
	Images    Images    `doc:"Image generation"`
	Actions   Actions   `doc:"Actions"`
	Chat      Chat      `doc:"Conversations"`
	Memory    Memory    `doc:"Memory"`
	Recall    Recall    `doc:"Recall of old messages"`
	Reactions Reactions `doc:"Reactions"`
	Lifecycle Lifecycle `doc:"The bot's own reactions"`
	Commands  Commands  `doc:"Commands"`
	Tasks     Tasks     `doc:"Tasks"`
	Crons     Crons     `doc:"Scheduled jobs"`
	Webhooks  Webhooks  `doc:"Webhooks"`
	MCP       MCP       `doc:"MCP"`
	Plans     Plans     `doc:"Plans and forge"`
	Models    Models    `doc:"Models by role: a tier (fast, capable, deep) or a model name, optionally with a runtime in front, as in anthropic:capable"`
	Operation Operation `doc:"Operation"`
	Profile   Profile   `doc:"Presence"`
}

// Discord has the bot's account and its allow lists.
type Discord struct {
	Token     Secret `env:"DISCORD_TOKEN" common:"yes" doc:"The bot's token, from Discord's developer portal. Required to run the bot."`
	Users     IDs    `env:"DISCORD_ALLOW_USER_IDS" common:"yes" doc:"Who may use the bot: user IDs, separated by commas. If empty, the bot answers nobody."`
	Bots      IDs    `env:"DISCORD_ALLOW_BOT_IDS" doc:"Other bots that the bot answers when they mention it: IDs, separated by commas. They cannot run actions, and are answered at most five times a minute."`
	Operators IDs    `env:"DISCOCLAW_OPERATOR_USER_IDS" doc:"Who may change the bot itself: user IDs, separated by commas. Unset, the only user in DISCORD_ALLOW_USER_IDS; if there are several, those who are administrators of the server. none: nobody."`
	Guild     ID     `env:"DISCORD_GUILD_ID" common:"yes" doc:"The only server on which the bot answers. Unset, every server it is on."`
	Channels  IDs    `env:"DISCORD_CHANNEL_IDS" doc:"The only channels in which the bot answers, with their threads: IDs, separated by commas. Direct messages are always answered. Unset, all channels; none: no channel."`
	Threads   bool   `env:"DISCORD_AUTO_JOIN_THREADS" envDefault:"1" doc:"Whether the bot joins public threads in which it answers. With 0 it still answers there, but does not join."`
	API       URL    `env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v10" doc:"The address of Discord's HTTP API, with its version. The address of the gateway is looked up there."`
	CDN       Hosts  `env:"DISCORD_CDN_HOSTS" example:"files.example.com" doc:"Hosts, besides Discord's own, from which files attached to messages may be fetched, separated by commas. Plain http is allowed for these."`
}

// OpenAI is the access to a model.
type OpenAI struct {
	Key     Secret `env:"OPENAI_API_KEY" editable:"yes" common:"yes" doc:"The API key for OpenAI, or for the server in OPENAI_BASE_URL."`
	BaseURL URL    `env:"OPENAI_BASE_URL" common:"yes" example:"http://127.0.0.1:11434/v1" doc:"The address of an OpenAI-compatible server to use instead of OpenAI."`
	Model   Model  `env:"OPENAI_MODEL" editable:"yes" common:"yes" doc:"The model to use where a role names a tier. Unset, OpenAI's tiers are gpt-6-luna (fast), gpt-6-sol (capable) and gpt-6-astra (deep). With another server, set it to a model that the server has."`
	Fast    Model  `env:"DISCOCLAW_TIER_OPENAI_FAST" editable:"yes" doc:"The model for the tier fast; overrides OPENAI_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_OPENAI_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides OPENAI_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_OPENAI_DEEP" editable:"yes" doc:"The model for the tier deep; overrides OPENAI_MODEL."`
}

// Anthropic is the access to Claude.
type Anthropic struct {
	Key     Secret `env:"ANTHROPIC_API_KEY" editable:"yes" common:"yes" doc:"The API key for Anthropic."`
	BaseURL URL    `env:"ANTHROPIC_BASE_URL" doc:"The address of a server to use instead of Anthropic's."`
	Model   Model  `env:"ANTHROPIC_MODEL" editable:"yes" doc:"The model to use where a role names a tier. Unset, the tiers are claude-haiku-5-5 (fast), claude-sonnet-5-5 (capable) and claude-opus-5-5 (deep)."`
	Fast    Model  `env:"DISCOCLAW_TIER_ANTHROPIC_FAST" editable:"yes" doc:"The model for the tier fast; overrides ANTHROPIC_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_ANTHROPIC_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides ANTHROPIC_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_ANTHROPIC_DEEP" editable:"yes" doc:"The model for the tier deep; overrides ANTHROPIC_MODEL."`
}

// Gemini is the access to Google's models.
type Gemini struct {
	Key     Secret `env:"GEMINI_API_KEY" editable:"yes" common:"yes" doc:"The API key for Gemini."`
	BaseURL URL    `env:"GEMINI_BASE_URL" doc:"The address of a server to use instead of Google's."`
	Model   Model  `env:"GEMINI_MODEL" editable:"yes" doc:"The model to use where a role names a tier. Unset, the tiers are gemini-3.1-flash-lite (fast) and gemini-3.8-flash (capable and deep)."`
	Fast    Model  `env:"DISCOCLAW_TIER_GEMINI_FAST" editable:"yes" doc:"The model for the tier fast; overrides GEMINI_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_GEMINI_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides GEMINI_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_GEMINI_DEEP" editable:"yes" doc:"The model for the tier deep; overrides GEMINI_MODEL."`
}

// Router is the access to OpenRouter.
type Router struct {
	Key     Secret `env:"OPENROUTER_API_KEY" editable:"yes" doc:"The API key for OpenRouter."`
	BaseURL URL    `env:"OPENROUTER_BASE_URL" envDefault:"https://openrouter.ai/api/v1" doc:"The address of OpenRouter."`
	Model   Model  `env:"OPENROUTER_MODEL" editable:"yes" doc:"The model to use where a role names a tier. Unset, OpenRouter chooses (openrouter/auto)."`
	Fast    Model  `env:"DISCOCLAW_TIER_OPENROUTER_FAST" editable:"yes" doc:"The model for the tier fast; overrides OPENROUTER_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_OPENROUTER_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides OPENROUTER_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_OPENROUTER_DEEP" editable:"yes" doc:"The model for the tier deep; overrides OPENROUTER_MODEL."`
}

// An Access is what the settings of each vendor have in common: they convert to it.
type Access struct {
	Key                 Secret
	BaseURL             URL
	Model               Model
	Fast, Capable, Deep Model
}

// Programs are command-line models.
type Programs struct {
	RunUSD     float64 `env:"RUNTIME_MAX_BUDGET_USD" min:"0" max:"1000000" doc:"How many US dollars one run of Claude Code may cost before it stops by itself. Unset or 0, no limit. Other runtimes have no such limit; see DISCOCLAW_BUDGET_DAY_USD."`
	Claude     string  `env:"CLAUDE_BIN" path:"yes" envDefault:"claude" doc:"The Claude Code program, for the runtime claude."`
	Codex      string  `env:"CODEX_BIN" path:"yes" envDefault:"codex" doc:"The Codex program, for the runtime codex."`
	CodexModel Model   `env:"CODEX_MODEL" editable:"yes" doc:"The model that Codex uses where a role names a tier. Unset, Codex chooses."`
	Gemini     string  `env:"GEMINI_BIN" path:"yes" envDefault:"gemini" doc:"The Gemini CLI program, for the runtime gemini-cli."`
}

// Runtimes says which models are asked.
type Runtimes struct {
	Primary  Choice  `env:"PRIMARY_RUNTIME" enum:"openai,openrouter,anthropic,gemini,claude,codex,gemini-cli" doc:"The runtime to use where none is named. Unset, the first one that is set up, in this order: openai, openrouter, anthropic, gemini, claude, codex, gemini-cli."`
	Fallback Choices `env:"DISCOCLAW_FALLBACK_MODELS" example:"anthropic:capable, gemini:capable" doc:"Models to try, one after another, if a model does not answer at all; written as for roles, separated by commas. The answer says that a fallback was used. Unset, none."`
	Calls    int     `env:"DISCOCLAW_MAX_CONCURRENT_INVOCATIONS" envDefault:"16" min:"1" max:"1000" doc:"How many answers a runtime may write at the same time; a quarter of that for command-line models. Further requests wait, and their replies say so."`
	Tools    Choice  `env:"DISCOCLAW_RUNTIME_TOOLS" envDefault:"read" enum:"off,read,write,shell" doc:"What models may do on this machine while they answer. read: read files in the workspace and fetch web pages. write: also change files in the workspace. shell: also run commands there, with all the rights of the bot's account. off: nothing. write and shell are for operators alone, and not after outside text."`
}

// Speech configures what hears and what speaks: in calls, and for voice messages and voice notes.
type Speech struct {
	Hearing Choice `env:"DISCOCLAW_STT_PROVIDER" enum:"openai,deepgram" doc:"What writes down what people say in calls and in voice messages: openai (or a compatible server) or deepgram. Unset, openai if DISCOCLAW_STT_BASE_URL is set, else deepgram if DEEPGRAM_API_KEY is."`
	BaseURL URL    `env:"DISCOCLAW_STT_BASE_URL" example:"https://api.openai.com/v1" doc:"An OpenAI-compatible server that transcribes voice messages; every voice message for the bot is sent there, and in calls what people say. Unset, the bot says that it cannot hear them."`
	Key     Secret `env:"DISCOCLAW_STT_API_KEY" editable:"yes" doc:"The API key for that server. Unset, none is sent."`
	Model   Model  `env:"DISCOCLAW_STT_MODEL" envDefault:"whisper-1" editable:"yes" doc:"The model for transcription."`

	Speaking   Choice `env:"DISCOCLAW_TTS_PROVIDER" enum:"openai,cartesia,deepgram" doc:"What speaks in calls and for voice notes. Unset, openai if DISCOCLAW_TTS_BASE_URL is set, else cartesia or deepgram if CARTESIA_API_KEY or DEEPGRAM_API_KEY is."`
	SpeakURL   URL    `env:"DISCOCLAW_TTS_BASE_URL" doc:"An OpenAI-compatible server that speaks texts, such as https://api.openai.com/v1. With it and the voice actions, the bot can post recordings and speak in calls, and the texts are sent there. Unset, the bot writes what it would say."`
	SpeakKey   Secret `env:"DISCOCLAW_TTS_API_KEY" editable:"yes" doc:"The API key for that server. Unset, none is sent."`
	SpeakModel Model  `env:"DISCOCLAW_TTS_MODEL" envDefault:"tts-1" editable:"yes" doc:"The model for speech."`
	Voice      string `env:"DISCOCLAW_TTS_VOICE" envDefault:"alloy" editable:"yes" doc:"The voice, by its name on that server."`

	DeepgramKey   Secret  `env:"DEEPGRAM_API_KEY" editable:"yes" doc:"The API key for Deepgram. What people say in calls and in voice messages is sent there, if nothing else is to hear them."`
	DeepgramModel Model   `env:"DEEPGRAM_STT_MODEL" envDefault:"nova-3" editable:"yes" doc:"Deepgram's model for transcription."`
	DeepgramVoice Model   `env:"DEEPGRAM_TTS_VOICE" envDefault:"aura-2-asteria-en" editable:"yes" doc:"Deepgram's voice."`
	DeepgramSpeed float64 `env:"DEEPGRAM_TTS_SPEED" envDefault:"1.3" doc:"How fast Deepgram speaks, from 0.5 to 1.5; 1 is its usual pace."`

	CartesiaKey   Secret `env:"CARTESIA_API_KEY" editable:"yes" doc:"The API key for Cartesia, which speaks. What the bot says in calls and in voice notes is sent there."`
	CartesiaVoice string `env:"CARTESIA_VOICE_ID" doc:"The ID of the voice at Cartesia. Cartesia needs one."`
	CartesiaModel Model  `env:"CARTESIA_MODEL" envDefault:"sonic-3" editable:"yes" doc:"Cartesia's model."`
}

// Voice configures the bot in voice channels.
type Voice struct {
	AutoJoin   bool    `env:"DISCOCLAW_VOICE_AUTO_JOIN" envDefault:"0" doc:"Whether the bot enters a voice channel as soon as somebody in DISCORD_ALLOW_USER_IDS does. Needs DISCOCLAW_VOICE_ENABLED=1."`
	Addressing Choice  `env:"DISCOCLAW_VOICE_ADDRESSING" enum:"always,wake" doc:"What is for the bot in a call: always, all that the people whom it serves say; wake, what has one of DISCOCLAW_VOICE_WAKE_WORDS in it, or follows an answer within 8 seconds. Unset, always with one person in the call, and wake with several."`
	WakeWords  Choices `env:"DISCOCLAW_VOICE_WAKE_WORDS" example:"disco, robot" doc:"The words that call the bot in a call, separated by commas. Unset, its name."`
	Log        ID      `env:"DISCOCLAW_VOICE_LOG_CHANNEL" doc:"The ID of a channel that also gets what was said to the bot in calls, and what it answered. It is not used if somebody who reads it may not enter the voice channel."`
	Style      string  `env:"DISCOCLAW_VOICE_SYSTEM_PROMPT" doc:"What models are told in calls besides the rest, such as how to talk; up to 4,000 characters."`
}

// Calls returns the words that call a bot of this name.
func (v Voice) Calls(name string) []string {
	if len(v.WakeWords) > 0 {
		return v.WakeWords
	}
	return []string{name}
}

// Search is the access to a search engine.
type Search struct {
	Provider Choice `env:"DISCOCLAW_WEBSEARCH_PROVIDER" enum:"tavily,brave,searxng" example:"searxng" doc:"The search engine: tavily, brave, or your own searxng. Unset, the bot cannot search the web. Search queries are sent there; Tavily and Brave charge for each search."`
	Key      Secret `env:"DISCOCLAW_WEBSEARCH_API_KEY" editable:"yes" doc:"The API key for Tavily or Brave."`
	URL      URL    `env:"DISCOCLAW_WEBSEARCH_URL" example:"http://127.0.0.1:8080" doc:"The address of SearXNG. Its settings.yml must allow the json format."`
}

// Needs names the variables without which there are no searches.
func (s Search) Needs() []string {
	needs := []string{"DISCOCLAW_WEBSEARCH_PROVIDER"}
	switch s.Provider {
	case "tavily", "brave":
		needs = append(needs, "DISCOCLAW_WEBSEARCH_API_KEY")
	case "searxng":
		needs = append(needs, "DISCOCLAW_WEBSEARCH_URL")
	}
	return needs
}

// warnings are about settings of a search that have no effect.
func (s Search) warnings() []string {
	var odd []string
	for _, unused := range []struct {
		name string
		set  bool
	}{
		{"DISCOCLAW_WEBSEARCH_API_KEY", s.Key.Reveal() != "" && s.Provider != "tavily" && s.Provider != "brave"},
		{"DISCOCLAW_WEBSEARCH_URL", s.URL != "" && s.Provider != "searxng"},
	} {
		switch {
		case unused.set && s.Provider == "":
			odd = append(odd, unused.name+" has no effect without DISCOCLAW_WEBSEARCH_PROVIDER")
		case unused.set:
			odd = append(odd, fmt.Sprintf("%s has no effect with DISCOCLAW_WEBSEARCH_PROVIDER=%s", unused.name, s.Provider))
		}
	}
	if s.Provider == "searxng" && s.URL.travelsOpenly() {
		odd = append(odd, "DISCOCLAW_WEBSEARCH_URL is plain http to another machine: searches can be read on the way")
	}
	return odd
}

// Images configures pictures that are made on request.
type Images struct {
	GeminiKey Secret `env:"IMAGEGEN_GEMINI_API_KEY" editable:"yes" doc:"The API key for Google's image models. OpenAI's use OPENAI_API_KEY."`
	Model     Model  `env:"IMAGEGEN_DEFAULT_MODEL" editable:"yes" doc:"The image model. Unset: gpt-image-2.5-flare with a key for OpenAI, dall-e-3 if OPENAI_BASE_URL names another server, and gemini-3.1-flash-image with only a key for Google."`
	Hourly    int    `env:"IMAGEGEN_USER_HOURLY" envDefault:"10" min:"0" max:"100000" doc:"How many images one person may have generated per hour. 0 removes this limit; each server is still limited to 100 per day."`
}

// Budgets limits what models may cost.
type Budgets struct {
	Day     float64 `env:"DISCOCLAW_BUDGET_DAY_USD" min:"0" max:"1000000" doc:"How many US dollars models may cost per day, in DEFAULT_TIMEZONE. Unset or 0, no limit. With any of these limits, an answer has at most 4,096 tokens, and calls wait for each other while the rest may not pay for all."`
	UserDay float64 `env:"DISCOCLAW_BUDGET_USER_DAY_USD" min:"0" max:"1000000" doc:"How many US dollars models may cost per person and day. Unset or 0, no limit."`
	CronRun float64 `env:"DISCOCLAW_BUDGET_CRON_RUN_USD" min:"0" max:"1000000" doc:"How many US dollars one run of a scheduled job may cost. Unset or 0, no limit."`
	Prices  string  `env:"DISCOCLAW_PRICES_FILE" path:"yes" doc:"A JSON file with model prices in US dollars per million tokens, which override the built-in prices of November 2026: {\"a-model\": {\"input\": 1.5, \"cached\": 0.15, \"output\": 6}}. \"image\" is the price of one image, \"speech\" that of a million spoken characters, \"minute\" that of a minute of sound that is transcribed."`
}

// Actions has what concerns all categories.
type Actions struct {
	FollowUps int    `env:"DISCOCLAW_ACTION_FOLLOWUP_DEPTH" envDefault:"3" min:"0" max:"10" doc:"How many times the model may continue by itself after seeing results. 0 turns that off."`
	Confirm   Choice `env:"DISCOCLAW_DISCORD_ACTIONS_CONFIRM" envDefault:"destructive" enum:"destructive,off" doc:"Whether the bot asks for approval before it does something that cannot be undone, or makes more than ten changes at once. off never asks."`
	Taint     Choice `env:"DISCOCLAW_TAINT" envDefault:"check" enum:"check,confirm,refuse,off" doc:"What happens to changes that the bot wants to make after it has read outside text: messages from people who are not in DISCORD_ALLOW_USER_IDS, files, forwarded messages, embeds, channel topics and the like. check makes those that follow from the words of the person who asks, as the model of DISCOCLAW_CONSENT_MODEL judges from these words alone, and asks for approval of all others. confirm asks for approval of each, refuse makes none of them, off makes them without asking."`

	Dialects string `env:"DISCOCLAW_ACTION_DIALECTS" editable:"yes" doc:"Which other ways of writing requests, besides blocks, the bot understands and teaches its model, separated by commas: directives, signals, keywords, envelope; or all, or none. Unset, it understands all except envelope, and teaches none."`
	Position Choice `env:"DISCOCLAW_DIRECTIVES_POSITION" editable:"yes" envDefault:"start" enum:"start,anywhere" doc:"Where in a reply a block of directives is carried out."`
	Like     string `env:"DISCOCLAW_LIKE_EMOJI" editable:"yes" envDefault:"👍" doc:"The emoji that [LIKE] reacts with."`
	Native   Choice `env:"DISCOCLAW_NATIVE_TOOLS" envDefault:"off" enum:"auto,on,off" doc:"How models ask for actions. off: in their text. auto: by function calls, at APIs known to handle them well: OpenAI, Anthropic, Gemini and OpenRouter. on: by function calls at every API, including other OpenAI-compatible servers. Programs on this machine, and models that refuse functions, always use text."`

	DeferMaxDelay   float64 `env:"DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS" envDefault:"1800" min:"0" max:"31536000" doc:"How many seconds ahead a deferred run may be; more than 0."`
	DeferMaxPending int     `env:"DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_CONCURRENT" envDefault:"5" min:"1" max:"1000" doc:"How many deferred runs may be pending at once."`
}

// Chat configures conversations.
type Chat struct {
	Name          string `env:"DISCOCLAW_BOT_NAME" editable:"yes" doc:"What the bot calls itself, and its nickname on every server where it may change that. Unset, the name in IDENTITY.md, or else its name on Discord."`
	AutoIndex     bool   `env:"DISCORD_AUTO_INDEX_CHANNEL_CONTEXT" editable:"yes" envDefault:"1" doc:"Whether the bot creates a context file, for you to fill in, for each channel that is new to it."`
	Require       bool   `env:"DISCORD_REQUIRE_CHANNEL_CONTEXT" envDefault:"1" doc:"Whether the bot answers only in channels that have a context file, which may be empty. 0 answers everywhere."`
	Respond       Choice `env:"DISCOCLAW_RESPOND" editable:"yes" enum:"all,mentions" doc:"What the bot answers on a server: everything that allowed users write, or only messages that mention it or reply to it. Unset, all if there is one user in DISCORD_ALLOW_USER_IDS, mentions if there are several."`
	Buttons       bool   `env:"DISCOCLAW_REPLY_BUTTONS" editable:"yes" envDefault:"0" doc:"Whether answers have the buttons Delete answer and Redo below them. The menu of each answer (right-click it, Apps) has both in any case, for the person who asked."`
	Classifier    Choice `env:"DISCOCLAW_OUTPUT_CLASSIFIER" editable:"yes" envDefault:"heuristic" enum:"heuristic,model,off" doc:"How the bot decides whether an answer is complete, only announces work, asks something or failed. heuristic: by its words. model: by asking the fast model, which costs one call per answer. off: every answer counts as complete."`
	Continue      int    `env:"DISCOCLAW_AUTO_CONTINUE_MAX" editable:"yes" envDefault:"3" min:"0" max:"10" doc:"How many times the bot continues by itself after an answer that only announces work, such as \"Let me check the logs.\" That answer is not posted, and the model is called again. 0 posts it and stops there."`
	FilterLogs    bool   `env:"DISCOCLAW_FILTER_TOOL_LOGS" editable:"yes" envDefault:"1" doc:"Whether lines in which a model reports its tool use, such as 🛠️ exec: ls, are removed from answers."`
	BatchWait     int    `env:"DISCOCLAW_BATCH_WAIT_MS" editable:"yes" envDefault:"0" min:"0" max:"10000" doc:"How many milliseconds the bot waits for more messages from the same person before it starts to answer. Messages that arrive while it is answering are batched anyway."`
	Steer         Choice `env:"DISCOCLAW_STEER" editable:"yes" envDefault:"off" enum:"on,off" doc:"Whether people can correct their request while the bot is answering. on: a further message stops the answer, unless the bot has begun to act, and both messages are answered together; each time, the model is called again, at most three times in a row. off: the message waits."`
	UserTurns     int    `env:"DISCOCLAW_USER_TURNS" envDefault:"30" min:"0" max:"100000" doc:"How many times within ten minutes the bot answers one person, counting messages and reactions. 0 removes the limit."`
	CatchUp       int    `env:"DISCOCLAW_CATCHUP_MINUTES" editable:"yes" envDefault:"60" min:"0" max:"1440" doc:"Messages sent while the bot was offline are answered when it returns, if they are at most this many minutes old. 0 answers none of them."`
	Timezone      string `env:"DEFAULT_TIMEZONE" editable:"yes" doc:"The bot's time zone, such as Europe/Berlin. Unset, that of this machine."`
	HistoryBudget int    `env:"DISCOCLAW_MESSAGE_HISTORY_BUDGET" editable:"yes" envDefault:"3000" min:"0" max:"100000" doc:"How many characters of earlier conversation a prompt may quote. 0 quotes none."`
	Previews      Choice `env:"DISCOCLAW_LINK_PREVIEWS" envDefault:"off" enum:"on,off" doc:"Whether Discord shows previews of links in the bot's messages. To make a preview, Discord fetches the address; a model can be tricked into putting private information into one."`
	Outsiders     Lines  `env:"DISCOCLAW_HISTORY_OUTSIDERS" builtin:"30" doc:"How many of the latest messages by other bots and by people who are not in DISCORD_ALLOW_USER_IDS a prompt quotes, marked as theirs; at most 30. Unset, 30 if DISCOCLAW_TAINT is check, else 0; with 1, as many as that, for the sake of older settings."`
	StallWarning  int    `env:"DISCOCLAW_STREAM_STALL_WARNING_MS" editable:"yes" envDefault:"60000" min:"0" max:"86400000" doc:"After how many milliseconds without output from the model the reply says so. 0, never."`
	StallTimeout  int    `env:"DISCOCLAW_STREAM_STALL_TIMEOUT_MS" editable:"yes" envDefault:"300000" min:"0" max:"86400000" doc:"After how many milliseconds without output from the model the bot gives up. 0, never."`
	ToolProgress  bool   `env:"DISCOCLAW_TOOL_AWARE_STREAMING" editable:"yes" envDefault:"1" doc:"Whether a reply in progress shows which tool the model is using. 0 shows only the text."`
	Timeout       int    `env:"RUNTIME_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds an answer may take in total."`
}

// Memory configures what the bot remembers about people.
type Memory struct {
	On       bool `env:"DISCOCLAW_DURABLE_MEMORY_ENABLED" envDefault:"1" doc:"Whether the bot remembers things about people. 0 stores nothing new, and keeps what is stored out of prompts."`
	Budget   int  `env:"DISCOCLAW_DURABLE_INJECT_MAX_CHARS" envDefault:"2000" min:"1" max:"100000" doc:"How many characters of what the bot remembers about a person a prompt may include."`
	Active   int  `env:"DISCOCLAW_DURABLE_ACTIVE_ITEMS" envDefault:"25" min:"1" max:"10000" doc:"How many memories about a person are in use. If there are more, the least useful ones are set aside."`
	Items    int  `env:"DISCOCLAW_DURABLE_MAX_ITEMS" envDefault:"200" min:"1" max:"100000" doc:"How many memories about a person are kept, including those set aside."`
	Commands bool `env:"DISCOCLAW_MEMORY_COMMANDS_ENABLED" envDefault:"1" doc:"Whether people can use !memory. They can always use !memory erase."`

	Summary      bool    `env:"DISCOCLAW_SUMMARY_ENABLED" envDefault:"1" doc:"Whether conversations are summarised, so that prompts cover more than the latest messages. This costs one call of the summary model every few turns. 0 makes no such calls, and stores no more of what is said."`
	SummaryTurns int     `env:"DISCOCLAW_SUMMARY_EVERY_N_TURNS" envDefault:"5" min:"1" max:"1000" doc:"After how many turns a conversation is summarised."`
	SummaryChars int     `env:"DISCOCLAW_SUMMARY_MAX_CHARS" envDefault:"2000" min:"1" max:"20000" doc:"How many characters a summary may have."`
	ArchiveDays  int     `env:"DISCOCLAW_SUMMARY_ARCHIVE_DAYS" envDefault:"90" min:"0" max:"3650" doc:"How many days a replaced summary is kept in the database, for people who look there; the bot does not read it again. 0 keeps none."`
	Facts        bool    `env:"DISCOCLAW_SUMMARY_TO_DURABLE_ENABLED" envDefault:"1" doc:"Whether the same call also finds lasting facts that people stated about themselves, to be remembered."`
	Short        bool    `env:"DISCOCLAW_SHORTTERM_MEMORY_ENABLED" envDefault:"1" doc:"Whether a prompt includes what the same person and the bot recently said in other public channels."`
	ShortLines   int     `env:"DISCOCLAW_SHORTTERM_MAX_ENTRIES" envDefault:"20" min:"1" max:"1000" doc:"How many such exchanges a prompt may include."`
	ShortAge     float64 `env:"DISCOCLAW_SHORTTERM_MAX_AGE_HOURS" envDefault:"6" min:"0" max:"720" doc:"How many hours old they may be."`
	ShortChars   int     `env:"DISCOCLAW_SHORTTERM_INJECT_MAX_CHARS" envDefault:"1000" min:"1" max:"20000" doc:"How many characters of a prompt they may take."`
}

// Recall configures what is kept of old talk, and how it is found.
type Recall struct {
	Enabled    bool   `env:"DISCOCLAW_COLD_STORAGE_ENABLED" envDefault:"0" common:"yes" doc:"1 stores what is said on servers, and quotes old messages in prompts if they are relevant to a question and the person asking may read them on Discord. Without a key for embeddings, they are found only by their words."`
	Budget     int    `env:"DISCOCLAW_COLD_STORAGE_INJECT_MAX_CHARS" envDefault:"1500" min:"1" max:"100000" doc:"How many characters of old messages a prompt may quote."`
	Limit      int    `env:"DISCOCLAW_COLD_STORAGE_SEARCH_LIMIT" envDefault:"10" min:"1" max:"50" doc:"How many old messages a prompt may quote."`
	All        bool   `env:"COLD_STORAGE_INGEST_ALL" envDefault:"0" doc:"1 also stores messages from people who are not in DISCORD_ALLOW_USER_IDS. A turn that quotes them has read outside text; see DISCOCLAW_TAINT."`
	Channels   IDs    `env:"COLD_STORAGE_CHANNEL_FILTER" doc:"The only channels whose messages are stored, with their threads: IDs, separated by commas. Unset, all; none: no channel."`
	Provider   Choice `env:"COLD_STORAGE_PROVIDER" envDefault:"openai" enum:"openai,openai-compat" doc:"Who computes embeddings, so that messages are also found by their meaning: OpenAI, or an OpenAI-compatible server. Everything that is stored is sent there."`
	Key        Secret `env:"COLD_STORAGE_API_KEY" editable:"yes" doc:"The API key for embeddings. Unset, OPENAI_API_KEY, if that is for the same server. OpenAI needs a key; without one, nothing is embedded."`
	Model      Model  `env:"COLD_STORAGE_MODEL" doc:"The embedding model. Required for openai-compat; unset, OpenAI's is text-embedding-3-small."`
	Dimensions int    `env:"COLD_STORAGE_DIMENSIONS" builtin:"1536" min:"1" max:"10000" doc:"How many dimensions the embeddings have. Required for openai-compat. With OpenAI, 256 dimensions are searched six times as fast, and find nearly as much."`
	BaseURL    URL    `env:"COLD_STORAGE_BASE_URL" example:"http://127.0.0.1:11434/v1" doc:"The address of the server for embeddings. Required for openai-compat."`
}

// Reactions configures which reactions begin a turn.
type Reactions struct {
	Added     bool    `env:"DISCOCLAW_REACTION_HANDLER" editable:"yes" envDefault:"1" doc:"Whether the bot responds to reactions. 0 ignores them all: they answer no questions, and 🛑 stops nothing."`
	Removed   bool    `env:"DISCOCLAW_REACTION_REMOVE_HANDLER" editable:"yes" envDefault:"0" doc:"1 also responds when people remove their reactions."`
	MaxAge    float64 `env:"DISCOCLAW_REACTION_MAX_AGE_HOURS" editable:"yes" envDefault:"24" min:"0" max:"100000" doc:"Reactions to messages older than this many hours are ignored, unless they answer a question. 0 removes the limit."`
	StopScope Choice  `env:"DISCOCLAW_STOP_REACTION_SCOPE" editable:"yes" envDefault:"all" enum:"all,message" doc:"What 🛑 on one of the bot's messages stops: everything in progress, with work on plans, or only that message's."`
}

// Lifecycle configures what the bot shows on people's messages about its work.
type Lifecycle struct {
	Mode       Choice `env:"DISCOCLAW_LIFECYCLE_REACTIONS" editable:"yes" envDefault:"quiet" enum:"off,quiet,full" doc:"Which of its own reactions the bot puts on people's messages to show its progress. quiet: waiting, done without a reply, and failed. full: every step. off: none."`
	Received   string `env:"DISCOCLAW_REACTION_RECEIVED" editable:"yes" envDefault:"👀" doc:"The reaction to a waiting message: an emoji, name:id for a server's own emoji, or none."`
	Processing string `env:"DISCOCLAW_REACTION_PROCESSING" editable:"yes" envDefault:"🤔" doc:"The reaction to a message that is being answered; only with full."`
	Success    string `env:"DISCOCLAW_REACTION_SUCCESS" editable:"yes" envDefault:"👍" doc:"The reaction to a message that was handled without a reply."`
	Complete   string `env:"DISCOCLAW_REACTION_COMPLETE" editable:"yes" envDefault:"🏆" doc:"The reaction to a message whose reply has arrived; only with full."`
	Error      string `env:"DISCOCLAW_REACTION_ERROR" editable:"yes" envDefault:"😱" doc:"The reaction to a message that went wrong."`
}

// Commands configures the commands for the bot itself.
type Commands struct {
	Slash   bool `env:"DISCOCLAW_SLASH_COMMANDS" editable:"yes" envDefault:"1" doc:"Whether people can choose the bot's commands from the /discoclaw menu. 0 leaves those with an exclamation mark."`
	Health  bool `env:"DISCOCLAW_HEALTH_COMMANDS_ENABLED" editable:"yes" envDefault:"1" doc:"Whether people can use !health and !doctor."`
	Verbose IDs  `env:"DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST" doc:"Who sees the settings in !health verbose: user IDs, separated by commas. Unset, everyone in DISCORD_ALLOW_USER_IDS; none: nobody."`
}

// Tasks configures the task forum.
type Tasks struct {
	Enabled bool   `env:"DISCOCLAW_TASKS_ENABLED" envDefault:"1" doc:"Whether there are tasks at all: !task, the task forum and the actions of models. 0 turns them off, and keeps what there is. DISCOCLAW_DISCORD_ACTIONS_TASKS=0 leaves them to people."`
	Forum   ID     `env:"DISCOCLAW_TASKS_FORUM" doc:"The ID of the forum whose posts are tasks. Unset, the forum called tasks on each server that has one; without a forum, tasks have no posts."`
	Prefix  string `env:"DISCOCLAW_TASKS_PREFIX" envDefault:"ws" doc:"The prefix of the IDs of new tasks, as in ws-001: lower-case letters."`
	TagMap  string `env:"DISCOCLAW_TASKS_TAG_MAP" path:"yes" doc:"A JSON file that maps labels, and the statuses open, in_progress, blocked and closed, to the IDs of the forum's tags. Unset, tasks/tag-map.json in the data directory. Anything not in the file is matched by the tag's name."`
	AutoTag bool   `env:"DISCOCLAW_TASKS_AUTO_TAG" envDefault:"1" doc:"Whether the fast model chooses forum tags for new tasks that have none. 0 leaves that to people."`
}

// Crons configures scheduled jobs.
type Crons struct {
	Enabled bool   `env:"DISCOCLAW_CRON_ENABLED" envDefault:"1" doc:"Whether scheduled jobs run: the jobs themselves, !cron, their forum and the actions of models. 0 turns them off, and keeps what there is. With DISCOCLAW_DISCORD_ACTIONS_CRONS=0, jobs run, and only people manage them."`
	Forum   ID     `env:"DISCOCLAW_CRON_FORUM" doc:"The ID of the forum whose posts are scheduled jobs. Unset, the forum called crons on each server that has one; without a forum, jobs have no posts."`
	TagMap  string `env:"DISCOCLAW_CRON_TAG_MAP" path:"yes" doc:"A JSON file that maps words, and frequent, hourly, daily, weekly, monthly and yearly, to the IDs of the forum's tags. Unset, cron/tag-map.json in the data directory. Anything not in the file is matched by the tag's name."`
	AutoTag bool   `env:"DISCOCLAW_CRON_AUTO_TAG" envDefault:"1" doc:"Whether the model of the role cron chooses forum tags for new scheduled jobs. 0 leaves that to people."`
}

// Webhooks configures how other programs run scheduled jobs.
type Webhooks struct {
	Enabled bool `env:"DISCOCLAW_WEBHOOK_ENABLED" envDefault:"0" doc:"1 lets programs on this machine run scheduled jobs that have a webhook, with signed HTTP requests to 127.0.0.1."`
	Port    int  `env:"DISCOCLAW_WEBHOOK_PORT" envDefault:"9400" min:"1" max:"65535" doc:"The port for these requests."`
}

// MCP configures how other programs use the bot's actions, and the bot the tools of others.
type MCP struct {
	Enabled bool   `env:"DISCOCLAW_MCP_ENABLED" envDefault:"0" doc:"1 lets MCP clients on this machine, such as Claude Code, use the bot's actions: through discoclaw mcp, or with HTTP requests to 127.0.0.1 and the token in the file mcp-token of the data directory."`
	Port    int    `env:"DISCOCLAW_MCP_PORT" envDefault:"9401" min:"1" max:"65535" doc:"The port for these requests."`
	User    ID     `env:"DISCOCLAW_MCP_USER" doc:"The user whose permissions MCP clients have: an ID from DISCORD_ALLOW_USER_IDS. Unset, the only operator."`
	Channel ID     `env:"DISCOCLAW_MCP_CHANNEL" doc:"The ID of the channel in which people are asked before an MCP client does something that needs approval. Unset, such requests are refused."`
	File    string `env:"DISCOCLAW_MCP_FILE" path:"yes" doc:"A JSON file that lists MCP servers whose tools models may use through an API, in the mcpServers format of other programs. Unset, none."`
}

// Plans configures how models change projects on this machine, after a person has approved it.
type Plans struct {
	Enabled   bool `env:"DISCOCLAW_PLAN_COMMANDS_ENABLED" envDefault:"1" doc:"Whether there are plans at all: !plan, work on plans and the actions of models. 0 turns them off, and keeps what there is. DISCOCLAW_DISCORD_ACTIONS_PLAN=0 leaves them to people."`
	Forge     bool `env:"DISCOCLAW_FORGE_COMMANDS_ENABLED" envDefault:"1" doc:"Whether models draft and audit plans: !forge, and the actions of models. 0 turns that off. With DISCOCLAW_DISCORD_ACTIONS_FORGE=0, only people ask for it."`
	Phases    bool `env:"PLAN_PHASES_ENABLED" envDefault:"1" doc:"Whether the bot can run plans. 0 leaves that to people."`
	Files     int  `env:"PLAN_PHASE_MAX_CONTEXT_FILES" editable:"yes" envDefault:"5" min:"1" max:"50" doc:"How many files one phase of a plan may change."`
	PhaseTime int  `env:"PLAN_PHASE_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds one phase of a plan may take in total."`
	Fixes     int  `env:"PLAN_PHASE_AUDIT_FIX_MAX" editable:"yes" envDefault:"3" min:"0" max:"20" doc:"How many times the model may try to fix what the project's own command, or an audit, finds in a phase. 0, never."`
	Heartbeat int  `env:"PLAN_FORGE_HEARTBEAT_INTERVAL_MS" editable:"yes" envDefault:"45000" min:"0" max:"86400000" doc:"How often, in milliseconds, a message about work on a plan shows that it is still running. 0, never."`
	Rounds    int  `env:"FORGE_MAX_AUDIT_ROUNDS" editable:"yes" envDefault:"5" min:"1" max:"20" doc:"How many times a plan is audited, at most, before a person has to decide."`
	Throttle  int  `env:"FORGE_PROGRESS_THROTTLE_MS" editable:"yes" envDefault:"3000" min:"500" max:"600000" doc:"How many milliseconds pass between two edits of a message about work on a plan."`
	ForgeTime int  `env:"FORGE_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds one draft, revision or audit may take."`
	Automatic bool `env:"FORGE_AUTO_IMPLEMENT" envDefault:"0" doc:"1 approves and runs a plan without asking, if its audit found nothing that blocks it. One message can then lead to commits, though only on a separate branch."`
}

// Operation configures the process.
type Operation struct {
	DataDir   string `env:"DISCOCLAW_DATA_DIR" path:"yes" doc:"Where the bot keeps its data. Unset, a folder called discoclaw in this system's usual place for a user's data."`
	Workspace string `env:"WORKSPACE_CWD" path:"yes" doc:"The folder in which models work. Unset, workspace in the data directory."`
	Content   string `env:"DISCOCLAW_CONTENT_DIR" path:"yes" doc:"The folder with the channel context files. Unset, content in the data directory."`
	LogLevel  Choice `env:"LOG_LEVEL" editable:"yes" envDefault:"info" enum:"debug,info,warn,error" doc:"The lowest level that is logged."`
	LogFormat Choice `env:"LOG_FORMAT" editable:"yes" envDefault:"text" enum:"text,json" doc:"The format of the log, which goes to standard error."`
	Status    string `env:"DISCOCLAW_STATUS_CHANNEL" example:"bot-status" doc:"The channel, by ID or name, where the bot reports starts and stops, failed replies and missing permissions to operators. Unset, all of it goes to the log; see DISCOCLAW_OPERATOR_DMS."`
	Direct    bool   `env:"DISCOCLAW_OPERATOR_DMS" envDefault:"1" doc:"Whether operators get a direct message when something needs to be done, such as a full disk or a missing permission: at most once an hour for each kind of trouble, and only if DISCOCLAW_STATUS_CHANNEL is unset. 0 leaves it to the log."`
}

// Profile is the bot's presence on Discord.
type Profile struct {
	Status       Choice `env:"DISCOCLAW_BOT_STATUS" enum:"online,idle,dnd,invisible" doc:"The bot's status when it starts. Unset, online."`
	Activity     string `env:"DISCOCLAW_BOT_ACTIVITY" example:"chess" doc:"The activity that the bot shows when it starts."`
	ActivityType Choice `env:"DISCOCLAW_BOT_ACTIVITY_TYPE" envDefault:"Playing" enum:"Playing,Listening,Watching,Competing,Custom" doc:"The kind of activity: Playing chess, Listening to chess, and so on; Custom shows only the text."`
}

// Models assigns models to roles. Blank means the built-in choice.
type Models struct {
	Chat         Model `env:"RUNTIME_MODEL" editable:"yes" builtin:"capable" doc:"Role chat: messages, reactions and deferred runs."`
	Fast         Model `env:"DISCOCLAW_FAST_MODEL" editable:"yes" builtin:"fast" doc:"Role fast: small jobs."`
	ForgeDrafter Model `env:"FORGE_DRAFTER_MODEL" editable:"yes" builtin:"capable" doc:"Role forge-drafter: drafting plans."`
	ForgeAuditor Model `env:"FORGE_AUDITOR_MODEL" editable:"yes" builtin:"deep" doc:"Role forge-auditor: auditing plans."`
	Summary      Model `env:"DISCOCLAW_SUMMARY_MODEL" editable:"yes" doc:"Role summary: summaries of conversations. Unset, the same as fast."`
	Consent      Model `env:"DISCOCLAW_CONSENT_MODEL" editable:"yes" doc:"Role consent: whether changes follow from the words of the person who asked, after others' words were read. Unset, the same as fast."`
	Cron         Model `env:"DISCOCLAW_CRON_AUTO_TAG_MODEL" editable:"yes" doc:"Role cron: reading and tagging the posts of scheduled jobs. Unset, the same as fast."`
	CronExec     Model `env:"DISCOCLAW_CRON_EXEC_MODEL" editable:"yes" doc:"Role cron-exec: running scheduled jobs. Unset, the same as chat."`
	Voice        Model `env:"DISCOCLAW_VOICE_MODEL" editable:"yes" doc:"Role voice: talk in calls. Unset, the same as chat."`
	PlanRun      Model `env:"DISCOCLAW_PLAN_RUN_MODEL" editable:"yes" builtin:"capable" doc:"Role plan-run: running the phases of plans."`
}

// Load reads the struct. The error is an *Error with every problem. The struct is usable nevertheless: variables that cannot be
// read have their defaults.
func Load(from Env) (Config, error) {
	cfg, all := load(from)
	if all == nil {
		all = &Error{}
	} else {
		readable := maps.Clone(from)
		for _, name := range all.unread {
			delete(readable, name)
		}
		cfg, _ = load(readable)
	}
	all.Add(cfg.contradictions()...)
	if len(all.Problems) > 0 {
		return cfg, all
	}
	return cfg, nil
}

// load reads the struct without comparing its parts. The error is nil if each variable can be read.
func load(from Env) (Config, *Error) {
	vars := map[string]Variable{}
	for _, v := range Variables() {
		vars[v.Name] = v
	}
	var cfg Config
	var unread []string
	current := "" // the variable being read: the env package does not pass it to its parsers
	parse := func(p func(v Variable, text string) (any, error)) env.ParserFunc {
		return func(text string) (any, error) {
			value, err := p(vars[current], text)
			if err != nil {
				unread = append(unread, current)
				return nil, fmt.Errorf("%s: %w", current, err)
			}
			return value, nil
		}
	}
	err := env.ParseWithOptions(&cfg, env.Options{
		Environment: from,
		OnSet:       func(name string, _ any, _ bool) { current = name },
		FuncMap: map[reflect.Type]env.ParserFunc{
			reflect.TypeFor[string]():  parse(parseText),
			reflect.TypeFor[int]():     parse(parseInt),
			reflect.TypeFor[float64](): parse(parseNumber),
			reflect.TypeFor[bool]():    parse(parseBool),
			reflect.TypeFor[Secret]():  parse(func(_ Variable, text string) (any, error) { return NewSecret(text), nil }),
			reflect.TypeFor[ID]():      parse(parseID),
			reflect.TypeFor[URL]():     parse(parseURL),
			reflect.TypeFor[Hosts]():   parse(parseHosts),
			reflect.TypeFor[Model]():   parse(parseModel),
			reflect.TypeFor[Choice]():  parse(parseChoice),
			reflect.TypeFor[Choices](): parse(func(_ Variable, text string) (any, error) { return parseChoices(text), nil }),
			reflect.TypeFor[IDs]():     parse(parseIDs),
		},
	})
	var all env.AggregateError
	switch {
	case errors.As(err, &all):
		return cfg, &Error{Problems: problems(all.Errors), unread: unread}
	case err != nil:
		return cfg, &Error{Problems: []string{err.Error()}, unread: unread}
	}
	return cfg, nil
}

var taskPrefix = regexp.MustCompile(`^[a-z]{1,10}$`)

// contradictions are settings that are valid one by one but not together.
func (c Config) contradictions() []string {
	var odd []string
	for _, at := range []struct {
		setting, keySetting string
		url                 URL
		key                 Secret
	}{
		{"OPENAI_BASE_URL", "OPENAI_API_KEY", c.OpenAI.BaseURL, c.OpenAI.Key},
		{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", c.Anthropic.BaseURL, c.Anthropic.Key},
		{"GEMINI_BASE_URL", "GEMINI_API_KEY", c.Gemini.BaseURL, c.Gemini.Key},
		{"OPENROUTER_BASE_URL", "OPENROUTER_API_KEY", c.Router.BaseURL, c.Router.Key},
		{"DISCOCLAW_STT_BASE_URL", "DISCOCLAW_STT_API_KEY", c.Speech.BaseURL, c.Speech.Key},
		{"DISCOCLAW_TTS_BASE_URL", "DISCOCLAW_TTS_API_KEY", c.Speech.SpeakURL, c.Speech.SpeakKey},
		{"GEMINI_BASE_URL", "IMAGEGEN_GEMINI_API_KEY", c.Gemini.BaseURL, c.Images.GeminiKey},
		{"COLD_STORAGE_BASE_URL", "COLD_STORAGE_API_KEY", c.Recall.BaseURL, c.Recall.Key},
	} {
		if at.url.travelsOpenly() && at.key.Reveal() != "" {
			odd = append(odd, fmt.Sprintf("%s: plain http is for this machine only, since a key travels with it; use https, or unset %s",
				at.setting, at.keySetting))
		}
	}
	if r := c.Recall; r.Enabled && r.Provider == "openai-compat" && (r.Model == "" || r.Dimensions == 0 || r.BaseURL == "") {
		odd = append(odd, "COLD_STORAGE_PROVIDER: openai-compat also needs COLD_STORAGE_BASE_URL, COLD_STORAGE_MODEL and COLD_STORAGE_DIMENSIONS")
	}
	if !taskPrefix.MatchString(c.Tasks.Prefix) {
		odd = append(odd, fmt.Sprintf("DISCOCLAW_TASKS_PREFIX: %s is not a prefix such as ws, of at most ten small letters", quote(c.Tasks.Prefix)))
	}
	if speed := c.Speech.DeepgramSpeed; speed < 0.5 || speed > 1.5 {
		odd = append(odd, fmt.Sprintf("DEEPGRAM_TTS_SPEED: %v is not between 0.5 and 1.5", speed))
	}
	if _, err := time.LoadLocation(c.Chat.Timezone); err != nil {
		odd = append(odd, fmt.Sprintf("DEFAULT_TIMEZONE: there is no time zone %s; use a name like Europe/Berlin", quote(c.Chat.Timezone)))
	}
	if c.Actions.DeferMaxDelay == 0 {
		odd = append(odd, "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS: 0 would allow no deferred run at all; use a number above it, or set DISCOCLAW_DISCORD_ACTIONS_DEFER=0")
	}
	return odd
}

// problems unwraps the parsers' own sentences from the env package's errors.
func problems(errs []error) []string {
	var list []string
	for _, err := range errs {
		var parse env.ParseError
		if errors.As(err, &parse) {
			err = parse.Err
		}
		list = append(list, err.Error())
	}
	return list
}

func parseBool(_ Variable, text string) (any, error) { return boolOf(text) }

func parseInt(v Variable, text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil || v.Min != nil && n < *v.Min || v.Max != nil && n > *v.Max {
		return nil, fmt.Errorf("%s is not a whole number%s", quote(text), v.span())
	}
	return n, nil
}

func parseNumber(v Variable, text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || v.Min != nil && n < float64(*v.Min) || v.Max != nil && n > float64(*v.Max) {
		return nil, fmt.Errorf("%s is not a number%s", quote(text), v.span())
	}
	return n, nil
}

func (v Variable) span() string {
	if v.Min == nil || v.Max == nil {
		return ""
	}
	return fmt.Sprintf(" from %d to %d", *v.Min, *v.Max)
}

// A Variable is one setting, for the examples and for finding misspelled names.
type Variable struct {
	Group    string
	Name     string
	Doc      string
	Default  string
	Example  string
	Common   bool
	Enum     []string
	Min, Max *int
	Secret   bool // its value must not be shown
	Editable bool // operators may change it from Discord
	Path     bool // a leading ~/ in it means the home directory
}

// Variables are all settings of Config, in its order. Callers share them, so they must not change one.
func Variables() []Variable { return slices.Clip(variables()) }

var variables = sync.OnceValue(func() (vars []Variable) {
	for group := range reflect.TypeFor[Config]().Fields() {
		for f := range group.Type.Fields() {
			vars = append(vars, Variable{
				Group:    group.Tag.Get("doc"),
				Name:     f.Tag.Get("env"),
				Doc:      f.Tag.Get("doc"),
				Default:  f.Tag.Get("envDefault") + f.Tag.Get("builtin"),
				Example:  f.Tag.Get("example"),
				Common:   f.Tag.Get("common") == "yes",
				Enum:     enum(f.Tag),
				Min:      bound(f.Tag, "min"),
				Max:      bound(f.Tag, "max"),
				Secret:   f.Type == reflect.TypeFor[Secret](),
				Editable: f.Tag.Get("editable") == "yes",
				Path:     f.Tag.Get("path") == "yes",
			})
		}
	}
	return vars
})

func enum(tag reflect.StructTag) []string {
	if list, ok := tag.Lookup("enum"); ok {
		return strings.Split(list, ",")
	}
	return nil
}

func bound(tag reflect.StructTag, key string) *int {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("config: tag %s:%q is not a number", key, text))
	}
	return &n
}

// Lines is a number of lines that may be unset.
type Lines struct {
	set bool
	n   int
}

// maxLines is how many there may be.
const maxLines = 30

// UnmarshalText reads a number.
func (l *Lines) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > maxLines {
		return fmt.Errorf("%q is not a number from 0 to %d", string(text), maxLines)
	}
	*l = Lines{true, n}
	return nil
}

// OutsiderLines is how many messages of outsiders a prompt quotes. 1 used to mean all of them.
func (c Config) OutsiderLines() int {
	switch l := c.Chat.Outsiders; {
	case !l.set && c.Actions.Taint == "check", l.set && l.n == 1:
		return maxLines
	case l.set:
		return l.n
	}
	return 0
}

// Warnings name settings that are accepted but have no effect.
func (c Config) Warnings() []string {
	var warnings []string
	if c.OpenAI.BaseURL.travelsOpenly() {
		warnings = append(warnings, "OPENAI_BASE_URL is plain http to another machine: conversations can be read on the way")
	}
	if c.Recall.BaseURL.travelsOpenly() {
		warnings = append(warnings, "COLD_STORAGE_BASE_URL is plain http to another machine: messages can be read on the way")
	}
	if c.Chat.Outsiders == (Lines{true, 1}) {
		warnings = append(warnings, "DISCOCLAW_HISTORY_OUTSIDERS is a number of messages now; 1 still means all, which is 30")
	}
	if c.Discord.API.travelsOpenly() {
		warnings = append(warnings, "DISCORD_API_URL is plain http to another machine: the token can be read on the way")
	}
	for _, at := range []struct {
		name string
		url  URL
	}{
		{"OPENAI_BASE_URL", c.OpenAI.BaseURL},
		{"OPENROUTER_BASE_URL", c.Router.BaseURL},
		{"DISCOCLAW_STT_BASE_URL", c.Speech.BaseURL},
		{"DISCOCLAW_TTS_BASE_URL", c.Speech.SpeakURL},
		{"COLD_STORAGE_BASE_URL", c.Recall.BaseURL},
	} {
		if at.url.lacksVersion() {
			warnings = append(warnings, at.name+" does not end in /v1, which most OpenAI-compatible servers need, as in http://127.0.0.1:11434/v1; if requests fail, add it")
		}
	}
	return append(warnings, c.Search.warnings()...)
}

// Unknown are the variables that are not read though they look like ours, each with the
// name that was probably meant, or none. Known are all names that are read.
func (e Env) Unknown(known []string) map[string]string {
	unknown := map[string]string{}
	for name := range e {
		ours := strings.HasPrefix(name, "DISCOCLAW_")
		// These prefixes are not ours alone, so only a typo counts.
		shared := strings.HasPrefix(name, "DISCORD_") || strings.HasPrefix(name, "OPENAI_")
		if _, former := Former(name); !ours && !shared || former || slices.Contains(known, name) {
			continue
		}
		if meant := Nearest(name, known); ours || meant != "" {
			unknown[name] = meant
		}
	}
	return unknown
}

// Secrets are the values to redact.
func (c Config) Secrets() []string {
	var secrets []string
	groups := reflect.ValueOf(c)
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.NumField() {
			if s, ok := group.Field(j).Interface().(Secret); ok && s.Reveal() != "" {
				secrets = append(secrets, s.Reveal())
			}
		}
	}
	return secrets
}
