// Package config reads the environment into one typed struct and reports
// everything that is wrong with it at once.
//
// Start with [Read] for the variables and [Load] for the struct. Only the
// composition root and the command line import this package; all others get small options
// of their own. The switches of the action categories are with the categories (see
// actions.FlagsFromEnv).
package config

import (
	"errors"
	"fmt"
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
type Config struct {
	Discord   Discord   `doc:"Discord"`
	OpenAI    OpenAI    `doc:"OpenAI, or a server that speaks its language"`
	Anthropic Anthropic `doc:"Anthropic"`
	Gemini    Gemini    `doc:"Google Gemini"`
	Router    Router    `doc:"OpenRouter"`
	Programs  Programs  `doc:"Models as programs on this machine"`
	Runtimes  Runtimes  `doc:"Which models are asked, and how"`
	Budgets   Budgets   `doc:"Budgets"`
	Speech    Speech    `doc:"Voice messages"`
	Search    Search    `doc:"Web search"`
	Images    Images    `doc:"Pictures"`
	Actions   Actions   `doc:"Actions"`
	Chat      Chat      `doc:"Conversations"`
	Memory    Memory    `doc:"Memory"`
	Recall    Recall    `doc:"Recall of old talk"`
	Reactions Reactions `doc:"Reactions"`
	Lifecycle Lifecycle `doc:"The bot's own reactions"`
	Commands  Commands  `doc:"Commands"`
	Tasks     Tasks     `doc:"Tasks"`
	Crons     Crons     `doc:"Scheduled jobs"`
	Webhooks  Webhooks  `doc:"Webhooks"`
	MCP       MCP       `doc:"MCP"`
	Plans     Plans     `doc:"Plans and forge"`
	Models    Models    `doc:"Models by role: a tier (fast, capable, deep) or a model's name, with a runtime in front or without, as in anthropic:capable"`
	Operation Operation `doc:"Operation"`
	Profile   Profile   `doc:"How the bot shows itself"`
}

// Discord has the bot's account and its allow lists.
type Discord struct {
	Token     Secret `env:"DISCORD_TOKEN" common:"yes" doc:"The bot's token, from Discord's developer portal. Required to run."`
	Users     IDs    `env:"DISCORD_ALLOW_USER_IDS" common:"yes" doc:"Who is served: user IDs, separated by commas. Empty means nobody."`
	Bots      IDs    `env:"DISCORD_ALLOW_BOT_IDS" doc:"Other bots that may ask the bot something, by mentioning it: IDs, separated by commas. They can have nothing done, and ask five times a minute at most."`
	Operators IDs    `env:"DISCOCLAW_OPERATOR_USER_IDS" doc:"Who may change the bot itself. Unset means the only one who is served or, of several, those who are administrators of the server; set without a valid ID means nobody."`
	Guild     ID     `env:"DISCORD_GUILD_ID" common:"yes" doc:"The one server on which the bot answers. Unset means every server it is on."`
	Channels  IDs    `env:"DISCORD_CHANNEL_IDS" doc:"Where the bot answers: channel IDs, separated by commas. Unset means everywhere; set without a valid ID means nowhere."`
	Threads   bool   `env:"DISCORD_AUTO_JOIN_THREADS" envDefault:"1" doc:"Whether the bot joins public threads where it answers. 0 leaves them alone; it answers there all the same."`
	API       URL    `env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v10" doc:"Where Discord's HTTP API is, with its version. The gateway's address is asked for there."`
	CDN       Hosts  `env:"DISCORD_CDN_HOSTS" example:"files.example.com" doc:"Hosts that files of messages may come from besides Discord's own, separated by commas. Plain http will do with them."`
}

// OpenAI is the access to a model.
type OpenAI struct {
	Key     Secret `env:"OPENAI_API_KEY" editable:"yes" common:"yes" doc:"The key for the model."`
	BaseURL URL    `env:"OPENAI_BASE_URL" common:"yes" example:"http://127.0.0.1:11434/v1" doc:"Another server than OpenAI's own."`
	Model   Model  `env:"OPENAI_MODEL" editable:"yes" common:"yes" doc:"The model to ask for where a role names a tier. Unset, OpenAI's own tiers are gpt-6-luna, gpt-6-sol and gpt-6-astra."`
	Fast    Model  `env:"DISCOCLAW_TIER_OPENAI_FAST" editable:"yes" doc:"The model for the tier fast; overrides OPENAI_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_OPENAI_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides OPENAI_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_OPENAI_DEEP" editable:"yes" doc:"The model for the tier deep; overrides OPENAI_MODEL."`
}

// Anthropic is the access to Claude.
type Anthropic struct {
	Key     Secret `env:"ANTHROPIC_API_KEY" editable:"yes" common:"yes" doc:"The key for Claude."`
	BaseURL URL    `env:"ANTHROPIC_BASE_URL" doc:"Another server than Anthropic's own."`
	Model   Model  `env:"ANTHROPIC_MODEL" editable:"yes" doc:"The model to ask for where a role names a tier. Unset, the tiers are claude-haiku-5-5, claude-sonnet-5-5 and claude-opus-5-5."`
	Fast    Model  `env:"DISCOCLAW_TIER_ANTHROPIC_FAST" editable:"yes" doc:"The model for the tier fast; overrides ANTHROPIC_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_ANTHROPIC_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides ANTHROPIC_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_ANTHROPIC_DEEP" editable:"yes" doc:"The model for the tier deep; overrides ANTHROPIC_MODEL."`
}

// Gemini is the access to Google's models.
type Gemini struct {
	Key     Secret `env:"GEMINI_API_KEY" editable:"yes" common:"yes" doc:"The key for Gemini."`
	BaseURL URL    `env:"GEMINI_BASE_URL" doc:"Another server than Google's own."`
	Model   Model  `env:"GEMINI_MODEL" editable:"yes" doc:"The model to ask for where a role names a tier. Unset, the tiers are gemini-3.1-flash-lite, and gemini-3.8-flash for both capable and deep."`
	Fast    Model  `env:"DISCOCLAW_TIER_GEMINI_FAST" editable:"yes" doc:"The model for the tier fast; overrides GEMINI_MODEL."`
	Capable Model  `env:"DISCOCLAW_TIER_GEMINI_CAPABLE" editable:"yes" doc:"The model for the tier capable; overrides GEMINI_MODEL."`
	Deep    Model  `env:"DISCOCLAW_TIER_GEMINI_DEEP" editable:"yes" doc:"The model for the tier deep; overrides GEMINI_MODEL."`
}

// Router is the access to OpenRouter.
type Router struct {
	Key     Secret `env:"OPENROUTER_API_KEY" editable:"yes" doc:"The key for OpenRouter."`
	BaseURL URL    `env:"OPENROUTER_BASE_URL" envDefault:"https://openrouter.ai/api/v1" doc:"Where OpenRouter is."`
	Model   Model  `env:"OPENROUTER_MODEL" editable:"yes" doc:"The model to ask for where a role names a tier. Unset, OpenRouter chooses (openrouter/auto)."`
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
	Claude     string `env:"CLAUDE_BIN" envDefault:"claude" doc:"The program of Claude Code, for the runtime claude."`
	Codex      string `env:"CODEX_BIN" envDefault:"codex" doc:"The program of Codex, for the runtime codex."`
	CodexModel Model  `env:"CODEX_MODEL" editable:"yes" doc:"The model that Codex is asked for where a role names a tier. Unset, Codex chooses."`
	Gemini     string `env:"GEMINI_BIN" envDefault:"gemini" doc:"The program of the Gemini CLI, for the runtime gemini-cli."`
}

// Runtimes says which models are asked.
type Runtimes struct {
	Primary  Choice  `env:"PRIMARY_RUNTIME" enum:"openai,openrouter,anthropic,gemini,claude,codex,gemini-cli" doc:"Which runtime is asked where none is named. Unset, the first that is set up, in this order: openai, openrouter, anthropic, gemini, claude, codex, gemini-cli."`
	Fallback Choices `env:"DISCOCLAW_FALLBACK_MODELS" example:"anthropic:capable, gemini:capable" doc:"Who is asked instead, one after another, if a model does not answer at all: models as in the roles, separated by commas. The answer says so. Unset means nobody."`
	Calls    int     `env:"DISCOCLAW_MAX_CONCURRENT_INVOCATIONS" envDefault:"16" min:"1" max:"1000" doc:"How many answers a runtime writes at a time, programs on this machine a quarter of that. Further ones wait, and say so."`
	Tools    Choice  `env:"DISCOCLAW_RUNTIME_TOOLS" envDefault:"read" enum:"off,read,write,shell" doc:"What models may do on this machine while they answer. read: read files of the workspace and fetch pages of the web. write: also change files of the workspace. shell: also run commands there, with every right of the account that the bot runs under. Both have an effect only if everyone who is served is an operator. off: nothing."`
}

// Speech configures how voice messages are understood.
type Speech struct {
	BaseURL URL    `env:"DISCOCLAW_STT_BASE_URL" example:"https://api.openai.com/v1" doc:"A server that transcribes voice messages and speaks OpenAI's language. Unset, the bot says that it cannot hear them. Whatever people record for the bot is sent there."`
	Key     Secret `env:"DISCOCLAW_STT_API_KEY" editable:"yes" doc:"The key for it. Unset, it gets none."`
	Model   Model  `env:"DISCOCLAW_STT_MODEL" envDefault:"whisper-1" editable:"yes" doc:"The model for it."`
}

// Search is the access to a search engine.
type Search struct {
	Provider Choice `env:"DISCOCLAW_WEBSEARCH_PROVIDER" enum:"tavily,brave,searxng" example:"searxng" doc:"Who searches the web for the bot: tavily, brave, or a searxng of your own. Unset, it cannot. What the bot searches for is sent there, and Tavily and Brave charge for it."`
	Key      Secret `env:"DISCOCLAW_WEBSEARCH_API_KEY" editable:"yes" doc:"The key for Tavily or Brave."`
	URL      URL    `env:"DISCOCLAW_WEBSEARCH_URL" example:"http://127.0.0.1:8080" doc:"Where SearXNG is. Its settings.yml must allow the format json."`
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
	GeminiKey Secret `env:"IMAGEGEN_GEMINI_API_KEY" editable:"yes" doc:"The key for pictures by Google's models. Pictures by OpenAI use OPENAI_API_KEY."`
	Model     Model  `env:"IMAGEGEN_DEFAULT_MODEL" editable:"yes" doc:"The model for pictures. Unset, gpt-image-2.5-flare with a key for OpenAI, dall-e-3 if OPENAI_BASE_URL names another server, and gemini-3.1-flash-image with a key for Google alone."`
	Hourly    int    `env:"IMAGEGEN_USER_HOURLY" envDefault:"10" min:"0" max:"100000" doc:"How many pictures one person can have made in an hour. 0 sets no limit; a server has at most 100 in a day."`
}

// Budgets limits what models may cost.
type Budgets struct {
	Day     float64 `env:"DISCOCLAW_BUDGET_DAY_USD" min:"0" max:"1000000" doc:"How many US dollars models may cost in a day, of DEFAULT_TIMEZONE. Unset or 0 means no limit. Before each call its cost is estimated, so that an unusually long answer may go a little beyond."`
	UserDay float64 `env:"DISCOCLAW_BUDGET_USER_DAY_USD" min:"0" max:"1000000" doc:"The same for each person."`
	CronRun float64 `env:"DISCOCLAW_BUDGET_CRON_RUN_USD" min:"0" max:"1000000" doc:"How many US dollars one run of a scheduled job may cost."`
	Prices  string  `env:"DISCOCLAW_PRICES_FILE" doc:"A JSON file with prices of models in US dollars for a million tokens, before those of the bot, which are of November 2026: {\"a-model\": {\"input\": 1.5, \"cached\": 0.15, \"output\": 6}}. The price of one picture is its \"image\"."`
}

// Actions has what concerns all categories.
type Actions struct {
	FollowUps    int    `env:"DISCOCLAW_ACTION_FOLLOWUP_DEPTH" envDefault:"3" min:"0" max:"10" doc:"How often the model may go on by itself after it has seen results. 0 turns that off."`
	Confirm      Choice `env:"DISCOCLAW_DISCORD_ACTIONS_CONFIRM" envDefault:"destructive" enum:"destructive,off" doc:"Whether people are asked before something is done that cannot be undone, or more than ten changes at once. off asks nobody."`
	Taint        Choice `env:"DISCOCLAW_TAINT" envDefault:"confirm" enum:"confirm,refuse,off" doc:"What becomes of changes that the bot wants to make after it has read text by outsiders: messages of people who are not served, files, forwarded messages, embeds, topics and the like. confirm asks people first, refuse does none of them, off makes them."`
	TaintAnswers bool   `env:"DISCOCLAW_TAINT_ANSWERS" envDefault:"1" doc:"Whether the bot's own answers about text by outsiders count as such text while prompts quote them. 0 asks less often where many people speak who are not served, and lets a model obey an order that it has repeated itself."`

	Dialects string `env:"DISCOCLAW_ACTION_DIALECTS" editable:"yes" doc:"Which other ways of writing requests the bot understands besides blocks, and teaches its model, with commas: directives, signals, keywords, envelope; or all, or none. Unset, it understands all but the envelope and teaches none."`
	Position Choice `env:"DISCOCLAW_DIRECTIVES_POSITION" editable:"yes" envDefault:"start" enum:"start,anywhere" doc:"Where in a reply a block of directives is carried out."`
	Like     string `env:"DISCOCLAW_LIKE_EMOJI" editable:"yes" envDefault:"👍" doc:"The emoji with which [LIKE] reacts."`
	Native   Choice `env:"DISCOCLAW_NATIVE_TOOLS" envDefault:"off" enum:"auto,on,off" doc:"How models ask for actions. off: in their text. auto: by function calls, at APIs that are known to take them well, which are those of OpenAI, Anthropic, Gemini and OpenRouter. on: by function calls at every API, also at other servers that speak OpenAI's language. Programs on this machine, and models that refuse functions, are asked for text in any case."`

	DeferMaxDelay   float64 `env:"DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS" envDefault:"1800" min:"0" max:"31536000" doc:"How many seconds ahead a deferred run may be, more than 0."`
	DeferMaxPending int     `env:"DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_CONCURRENT" envDefault:"5" min:"1" max:"1000" doc:"How many deferred runs may wait at once."`
}

// Chat configures conversations.
type Chat struct {
	Name          string `env:"DISCOCLAW_BOT_NAME" editable:"yes" doc:"What the bot calls itself, and its nickname on every server where it may change that. Unset, the name in its file IDENTITY.md, or else its name on Discord."`
	AutoIndex     bool   `env:"DISCORD_AUTO_INDEX_CHANNEL_CONTEXT" editable:"yes" envDefault:"1" doc:"Whether a channel that the bot meets for the first time gets a context file, which people can fill."`
	Require       bool   `env:"DISCORD_REQUIRE_CHANNEL_CONTEXT" envDefault:"1" doc:"Whether the bot answers only in channels that have a context file, which may be empty. 0 answers everywhere."`
	Respond       Choice `env:"DISCOCLAW_RESPOND" editable:"yes" enum:"all,mentions" doc:"What is answered on a server: everything that people say who are served, or only what mentions the bot or replies to it. Unset means all if one person is served, and mentions if several are."`
	Classifier    Choice `env:"DISCOCLAW_OUTPUT_CLASSIFIER" editable:"yes" envDefault:"heuristic" enum:"heuristic,model,off" doc:"How the bot tells whether an answer is done, only says that it goes on, asks something or failed. heuristic: by its words. model: the fast model is asked about each answer, which costs a call. off: every answer counts as done."`
	Continue      int    `env:"DISCOCLAW_AUTO_CONTINUE_MAX" editable:"yes" envDefault:"3" min:"0" max:"10" doc:"How often the bot goes on by itself after an answer that only says that it goes on, such as \"Let me check the logs.\" Each time the model is asked again, and that answer is not posted. 0 posts it and leaves it at that."`
	FilterLogs    bool   `env:"DISCOCLAW_FILTER_TOOL_LOGS" editable:"yes" envDefault:"1" doc:"Whether lines in which a model tells what its tools do, such as 🛠️ exec: ls, are left out of answers. 0 leaves them in."`
	BatchWait     int    `env:"DISCOCLAW_BATCH_WAIT_MS" editable:"yes" envDefault:"0" min:"0" max:"10000" doc:"How many milliseconds the bot waits for more of the same person before it begins to answer. Whatever comes while it answers is taken together anyway."`
	Steer         Choice `env:"DISCOCLAW_STEER" editable:"yes" envDefault:"off" enum:"on,off" doc:"Whether people can correct what they have asked while the bot answers. on: a further message stops the answer, unless something was begun, and both are answered together. Each time the model is asked again, at most three times in a row. off: the message waits."`
	UserTurns     int    `env:"DISCOCLAW_USER_TURNS" envDefault:"30" min:"0" max:"100000" doc:"How many times in ten minutes the bot answers one person, whose messages and reactions count. 0 sets no limit."`
	CatchUp       int    `env:"DISCOCLAW_CATCHUP_MINUTES" editable:"yes" envDefault:"60" min:"0" max:"1440" doc:"How many minutes old a message may be that was written while the bot was away, to be answered when it is back. 0 answers none of them."`
	Timezone      string `env:"DEFAULT_TIMEZONE" editable:"yes" doc:"The time zone in which the bot thinks, such as Europe/Berlin. Unset, that of this machine."`
	HistoryBudget int    `env:"DISCOCLAW_MESSAGE_HISTORY_BUDGET" editable:"yes" envDefault:"3000" min:"0" max:"100000" doc:"How many characters of earlier conversation a prompt may quote. 0 quotes none."`
	Previews      Choice `env:"DISCOCLAW_LINK_PREVIEWS" envDefault:"off" enum:"on,off" doc:"Whether Discord shows previews of links in the bot's messages. For a preview, Discord fetches the address, which a model may have composed of what others must not learn."`
	Outsiders     bool   `env:"DISCOCLAW_HISTORY_OUTSIDERS" envDefault:"0" doc:"1 quotes in that also what people say who are not served, and other bots. The bot then asks before every change in a channel where they speak; see DISCOCLAW_TAINT."`
	StallWarning  int    `env:"DISCOCLAW_STREAM_STALL_WARNING_MS" editable:"yes" envDefault:"60000" min:"0" max:"86400000" doc:"After how many milliseconds of silence the reply says that the model is silent. 0 never says so."`
	StallTimeout  int    `env:"DISCOCLAW_STREAM_STALL_TIMEOUT_MS" editable:"yes" envDefault:"300000" min:"0" max:"86400000" doc:"After how many milliseconds of silence the model is given up. 0 waits for ever."`
	ToolProgress  bool   `env:"DISCOCLAW_TOOL_AWARE_STREAMING" editable:"yes" envDefault:"1" doc:"Whether a reply that is being written says which tool the model uses. 0 shows the text alone."`
	Timeout       int    `env:"RUNTIME_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds an answer may take altogether."`
}

// Memory configures what the bot remembers about people.
type Memory struct {
	On       bool `env:"DISCOCLAW_DURABLE_MEMORY_ENABLED" envDefault:"1" doc:"Whether the bot remembers things about people. 0 stores nothing more, and tells the model nothing of what is stored."`
	Budget   int  `env:"DISCOCLAW_DURABLE_INJECT_MAX_CHARS" envDefault:"2000" min:"1" max:"100000" doc:"How many characters of what it remembers about a person a prompt may have."`
	Active   int  `env:"DISCOCLAW_DURABLE_ACTIVE_ITEMS" envDefault:"25" min:"1" max:"10000" doc:"How many things about a person prompts may have. The least useful ones are put aside when there are more."`
	Items    int  `env:"DISCOCLAW_DURABLE_MAX_ITEMS" envDefault:"200" min:"1" max:"100000" doc:"How many things about a person are kept, those put aside included."`
	Commands bool `env:"DISCOCLAW_MEMORY_COMMANDS_ENABLED" envDefault:"1" doc:"Whether people can use !memory."`

	Summary      bool    `env:"DISCOCLAW_SUMMARY_ENABLED" envDefault:"1" doc:"Whether conversations are summed up, so that prompts have more than the last messages. It takes one call of the summary model after some turns. 0 stores no more of what is said, and makes no such calls."`
	SummaryTurns int     `env:"DISCOCLAW_SUMMARY_EVERY_N_TURNS" envDefault:"5" min:"1" max:"1000" doc:"After how many turns a conversation is summed up."`
	SummaryChars int     `env:"DISCOCLAW_SUMMARY_MAX_CHARS" envDefault:"2000" min:"1" max:"20000" doc:"How many characters a summary may have."`
	ArchiveDays  int     `env:"DISCOCLAW_SUMMARY_ARCHIVE_DAYS" envDefault:"90" min:"0" max:"3650" doc:"How many days a summary is kept that a newer one has replaced, for people who look into the database; the bot does not read it again. 0 keeps none."`
	Facts        bool    `env:"DISCOCLAW_SUMMARY_TO_DURABLE_ENABLED" envDefault:"1" doc:"Whether the same call also finds lasting things that people said about themselves, which are then remembered."`
	Short        bool    `env:"DISCOCLAW_SHORTTERM_MEMORY_ENABLED" envDefault:"1" doc:"Whether a prompt has what the same person and the bot said lately in other public channels."`
	ShortLines   int     `env:"DISCOCLAW_SHORTTERM_MAX_ENTRIES" envDefault:"20" min:"1" max:"1000" doc:"How many exchanges of that."`
	ShortAge     float64 `env:"DISCOCLAW_SHORTTERM_MAX_AGE_HOURS" envDefault:"6" min:"0" max:"720" doc:"How many hours old they may be."`
	ShortChars   int     `env:"DISCOCLAW_SHORTTERM_INJECT_MAX_CHARS" envDefault:"1000" min:"1" max:"20000" doc:"How many characters of a prompt they may take."`
}

// Recall configures what is kept of old talk, and how it is found.
type Recall struct {
	Enabled    bool   `env:"DISCOCLAW_COLD_STORAGE_ENABLED" envDefault:"0" common:"yes" doc:"1 keeps what is said on servers, and puts old messages that fit a question into the prompt, as far as whoever asks may read them in Discord. Without an embeddings key, they are found by their words alone."`
	Budget     int    `env:"DISCOCLAW_COLD_STORAGE_INJECT_MAX_CHARS" envDefault:"1500" min:"1" max:"100000" doc:"How many characters of old messages a prompt may quote."`
	Limit      int    `env:"DISCOCLAW_COLD_STORAGE_SEARCH_LIMIT" envDefault:"10" min:"1" max:"50" doc:"How many old messages a prompt may quote."`
	All        bool   `env:"COLD_STORAGE_INGEST_ALL" envDefault:"0" doc:"1 also keeps what people say who are not served. A turn that is reminded of it has read text by outsiders; see DISCOCLAW_TAINT."`
	Channels   IDs    `env:"COLD_STORAGE_CHANNEL_FILTER" doc:"The only channels of which anything is kept, with their threads: IDs, separated by commas. Unset means all; set without a valid ID means none."`
	Provider   Choice `env:"COLD_STORAGE_PROVIDER" envDefault:"openai" enum:"openai,openai-compat" doc:"Who embeds messages, so that they are found by their meaning, too: OpenAI, or a server that speaks its language. Whatever is kept is sent there."`
	Key        Secret `env:"COLD_STORAGE_API_KEY" editable:"yes" doc:"The key for embeddings. Unset, OPENAI_API_KEY, if that is for the same server. OpenAI needs one; without it, nothing is embedded."`
	Model      Model  `env:"COLD_STORAGE_MODEL" doc:"The model for embeddings. Required for openai-compat; unset, OpenAI's is text-embedding-3-small."`
	Dimensions int    `env:"COLD_STORAGE_DIMENSIONS" builtin:"1536" min:"1" max:"10000" doc:"How many dimensions embeddings have. Required for openai-compat. With OpenAI, 256 are searched six times as fast, and find nearly as well."`
	BaseURL    URL    `env:"COLD_STORAGE_BASE_URL" example:"http://127.0.0.1:11434/v1" doc:"The server for embeddings. Required for openai-compat."`
}

// Reactions configures which reactions begin a turn.
type Reactions struct {
	Added     bool    `env:"DISCOCLAW_REACTION_HANDLER" editable:"yes" envDefault:"1" doc:"Whether the bot takes up reactions. 0 ignores them all: no question is answered by one, and 🛑 stops nothing."`
	Removed   bool    `env:"DISCOCLAW_REACTION_REMOVE_HANDLER" editable:"yes" envDefault:"0" doc:"1 takes up as well that somebody removed their reaction."`
	MaxAge    float64 `env:"DISCOCLAW_REACTION_MAX_AGE_HOURS" editable:"yes" envDefault:"24" min:"0" max:"100000" doc:"Reactions to messages that are older, in hours, are ignored, except answers to questions. 0 sets no limit."`
	StopScope Choice  `env:"DISCOCLAW_STOP_REACTION_SCOPE" editable:"yes" envDefault:"all" enum:"all,message" doc:"What 🛑 on a message of the bot stops: all replies that are being written, or that message alone."`
}

// Lifecycle configures what the bot shows on people's messages about its work.
type Lifecycle struct {
	Mode       Choice `env:"DISCOCLAW_LIFECYCLE_REACTIONS" editable:"yes" envDefault:"quiet" enum:"off,quiet,full" doc:"What the bot shows on people's messages about its work, by its own reactions. quiet: that a message waits, that it is done without a reply, and that something went wrong. full: every step. off: nothing."`
	Received   string `env:"DISCOCLAW_REACTION_RECEIVED" editable:"yes" envDefault:"👀" doc:"The reaction to a message that waits: an emoji, name:id for one of a server, or none."`
	Processing string `env:"DISCOCLAW_REACTION_PROCESSING" editable:"yes" envDefault:"🤔" doc:"The reaction to a message that is being answered; only with full."`
	Success    string `env:"DISCOCLAW_REACTION_SUCCESS" editable:"yes" envDefault:"👍" doc:"The reaction to a message that is done, without a reply."`
	Complete   string `env:"DISCOCLAW_REACTION_COMPLETE" editable:"yes" envDefault:"🏆" doc:"The reaction to a message whose reply has arrived; only with full."`
	Error      string `env:"DISCOCLAW_REACTION_ERROR" editable:"yes" envDefault:"😱" doc:"The reaction to a message with which something went wrong."`
}

// Commands configures the commands for the bot itself.
type Commands struct {
	Slash   bool `env:"DISCOCLAW_SLASH_COMMANDS" editable:"yes" envDefault:"1" doc:"Whether people can choose the bot's commands from the menu of /discoclaw. 0 leaves the ones with an exclamation mark."`
	Health  bool `env:"DISCOCLAW_HEALTH_COMMANDS_ENABLED" editable:"yes" envDefault:"1" doc:"Whether !health and !doctor tell how the bot is doing."`
	Verbose IDs  `env:"DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST" doc:"Who is shown the settings by !health verbose: user IDs, separated by commas. Unset means everyone who is served; set without a valid ID means nobody."`
}

// Tasks configures the task forum.
type Tasks struct {
	Forum   ID     `env:"DISCOCLAW_TASKS_FORUM" doc:"The forum whose posts are tasks. Unset, on each server the forum called tasks, if there is one; without a forum tasks have no posts."`
	Prefix  string `env:"DISCOCLAW_TASKS_PREFIX" envDefault:"ws" doc:"What the IDs of new tasks begin with, as in ws-001: small letters."`
	TagMap  string `env:"DISCOCLAW_TASKS_TAG_MAP" doc:"A JSON file that maps labels, and the statuses open, in_progress, blocked and closed, to the IDs of the forum's tags. Unset, the file tasks/tag-map.json in the data directory. Tags that are not in it go by their names."`
	AutoTag bool   `env:"DISCOCLAW_TASKS_AUTO_TAG" envDefault:"1" doc:"Whether the fast model chooses tags of the forum for new tasks. 0 leaves that to people."`
}

// Crons configures scheduled jobs.
type Crons struct {
	Forum   ID     `env:"DISCOCLAW_CRON_FORUM" doc:"The forum whose posts are scheduled jobs. Unset, on each server the forum called crons, if there is one; without a forum jobs have no posts."`
	TagMap  string `env:"DISCOCLAW_CRON_TAG_MAP" doc:"A JSON file that maps words, and frequent, hourly, daily, weekly, monthly and yearly, to the IDs of the forum's tags. Unset, the file cron/tag-map.json in the data directory. Tags that are not in it go by their names."`
	AutoTag bool   `env:"DISCOCLAW_CRON_AUTO_TAG" envDefault:"1" doc:"Whether the model of the role cron chooses tags of the forum for new scheduled jobs. 0 leaves that to people."`
}

// Webhooks configures how other programs run scheduled jobs.
type Webhooks struct {
	Enabled bool `env:"DISCOCLAW_WEBHOOK_ENABLED" envDefault:"0" doc:"1 lets programs on this machine run scheduled jobs that have a webhook, with signed HTTP requests to 127.0.0.1."`
	Port    int  `env:"DISCOCLAW_WEBHOOK_PORT" envDefault:"9400" min:"1" max:"65535" doc:"The port on which these requests are taken."`
}

// MCP configures how other programs use the bot's actions, and the bot the tools of others.
type MCP struct {
	Enabled bool   `env:"DISCOCLAW_MCP_ENABLED" envDefault:"0" doc:"1 lets MCP clients on this machine, such as Claude Code, use the bot's actions: discoclaw mcp, or HTTP requests to 127.0.0.1 with the token in the file mcp-token of the data directory."`
	Port    int    `env:"DISCOCLAW_MCP_PORT" envDefault:"9401" min:"1" max:"65535" doc:"The port on which these requests are taken."`
	User    ID     `env:"DISCOCLAW_MCP_USER" doc:"With whose rights MCP clients act: the ID of a user in DISCORD_ALLOW_USER_IDS. Unset, the only operator."`
	Channel ID     `env:"DISCOCLAW_MCP_CHANNEL" doc:"The ID of the channel in which people are asked before an MCP client does something that needs approval. Unset, that is refused."`
	File    string `env:"DISCOCLAW_MCP_FILE" doc:"A JSON file with MCP servers whose tools models at an API may use, in the shape mcpServers that other programs have, too. Unset means none."`
}

// Plans configures how models change projects on this machine, after a person has approved it.
type Plans struct {
	Enabled   bool `env:"DISCOCLAW_PLAN_COMMANDS_ENABLED" envDefault:"1" doc:"Whether there are plans: !plan, and the plan actions. 0 turns them off."`
	Forge     bool `env:"DISCOCLAW_FORGE_COMMANDS_ENABLED" envDefault:"1" doc:"Whether models draft and audit plans: !forge, and the forge actions. 0 turns that off."`
	Phases    bool `env:"PLAN_PHASES_ENABLED" envDefault:"1" doc:"Whether plans can be carried out. 0 leaves that to people."`
	Files     int  `env:"PLAN_PHASE_MAX_CONTEXT_FILES" editable:"yes" envDefault:"5" min:"1" max:"50" doc:"How many files one phase of a plan changes at most."`
	PhaseTime int  `env:"PLAN_PHASE_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds one phase of a plan may take altogether."`
	Fixes     int  `env:"PLAN_PHASE_AUDIT_FIX_MAX" editable:"yes" envDefault:"3" min:"0" max:"20" doc:"How often the model may mend what the project's own command, or an audit, finds in a phase. 0 for never."`
	Heartbeat int  `env:"PLAN_FORGE_HEARTBEAT_INTERVAL_MS" editable:"yes" envDefault:"45000" min:"0" max:"86400000" doc:"How many milliseconds pass until a message about work on a plan shows again that it goes on. 0 for never."`
	Rounds    int  `env:"FORGE_MAX_AUDIT_ROUNDS" editable:"yes" envDefault:"5" min:"1" max:"20" doc:"How often a plan is audited at most before a person has to decide."`
	Throttle  int  `env:"FORGE_PROGRESS_THROTTLE_MS" editable:"yes" envDefault:"3000" min:"500" max:"600000" doc:"How many milliseconds pass between two edits of a message about work on a plan."`
	ForgeTime int  `env:"FORGE_TIMEOUT_MS" editable:"yes" envDefault:"1800000" min:"1000" max:"86400000" doc:"How many milliseconds one draft, revision or audit may take."`
	Automatic bool `env:"FORGE_AUTO_IMPLEMENT" envDefault:"0" doc:"1 approves and runs a plan without asking, if its audit found nothing that blocks. Then one message can lead to commits, though only on a branch of their own."`
}

// Operation configures the process.
type Operation struct {
	DataDir   string `env:"DISCOCLAW_DATA_DIR" doc:"Where the bot keeps its data. Unset, a folder discoclaw where this system keeps a user's data."`
	Workspace string `env:"WORKSPACE_CWD" doc:"The folder the model works in. Unset, the folder workspace in the data directory."`
	Content   string `env:"DISCOCLAW_CONTENT_DIR" doc:"The folder with the context files of channels. Unset, the folder content in the data directory."`
	LogLevel  Choice `env:"LOG_LEVEL" editable:"yes" envDefault:"info" enum:"debug,info,warn,error" doc:"What is logged."`
	LogFormat Choice `env:"LOG_FORMAT" editable:"yes" envDefault:"text" enum:"text,json" doc:"How it is logged, on standard error."`
	Status    string `env:"DISCOCLAW_STATUS_CHANNEL" example:"bot-status" doc:"The channel, by its ID or its name, where operators are told of starts and ends, failed replies and missing permissions. Unset, that is in the log only."`
}

// Profile is the bot's presence on Discord.
type Profile struct {
	Status       Choice `env:"DISCOCLAW_BOT_STATUS" enum:"online,idle,dnd,invisible" doc:"The bot's status from its start on. Unset, it is online."`
	Activity     string `env:"DISCOCLAW_BOT_ACTIVITY" example:"chess" doc:"What the bot shows itself doing from its start on."`
	ActivityType Choice `env:"DISCOCLAW_BOT_ACTIVITY_TYPE" envDefault:"Playing" enum:"Playing,Listening,Watching,Competing,Custom" doc:"How it is put: Playing chess, Listening to it, and so on; Custom shows the text alone."`
}

// Models assigns models to roles. Blank means the built-in choice.
type Models struct {
	Chat         Model `env:"RUNTIME_MODEL" editable:"yes" builtin:"capable" doc:"Role chat: messages, reactions and deferred runs."`
	Fast         Model `env:"DISCOCLAW_FAST_MODEL" editable:"yes" builtin:"fast" doc:"Role fast: small jobs."`
	ForgeDrafter Model `env:"FORGE_DRAFTER_MODEL" editable:"yes" builtin:"capable" doc:"Role forge-drafter: drafting plans."`
	ForgeAuditor Model `env:"FORGE_AUDITOR_MODEL" editable:"yes" builtin:"deep" doc:"Role forge-auditor: auditing plans."`
	Summary      Model `env:"DISCOCLAW_SUMMARY_MODEL" editable:"yes" doc:"Role summary: rolling summaries. Unset, it follows fast."`
	Cron         Model `env:"DISCOCLAW_CRON_AUTO_TAG_MODEL" editable:"yes" doc:"Role cron: reading and tagging the posts of scheduled jobs. Unset, it follows fast."`
	CronExec     Model `env:"DISCOCLAW_CRON_EXEC_MODEL" editable:"yes" doc:"Role cron-exec: running cron jobs. Unset, it follows chat."`
	PlanRun      Model `env:"DISCOCLAW_PLAN_RUN_MODEL" editable:"yes" builtin:"capable" doc:"Role plan-run: running plan phases."`
}

// Error lists the problems for an operator, a sentence each.
type Error struct{ Problems []string }

func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// Load reads the struct. The error is an *Error with every problem.
func Load(from Env) (Config, error) {
	vars := map[string]Variable{}
	for _, v := range Variables() {
		vars[v.Name] = v
	}
	var cfg Config
	current := "" // the variable being read: the env package does not pass it to its parsers
	parse := func(p func(v Variable, text string) (any, error)) env.ParserFunc {
		return func(text string) (any, error) {
			value, err := p(vars[current], text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", current, err)
			}
			return value, nil
		}
	}
	err := env.ParseWithOptions(&cfg, env.Options{
		Environment: from,
		OnSet:       func(name string, _ any, _ bool) { current = name },
		FuncMap: map[reflect.Type]env.ParserFunc{
			reflect.TypeFor[int]():     parse(parseInt),
			reflect.TypeFor[float64](): parse(parseNumber),
			reflect.TypeFor[bool]():    func(string) (any, error) { return from.Bool(current, vars[current].Default == "1") },
			reflect.TypeFor[Secret]():  parse(func(_ Variable, text string) (any, error) { return NewSecret(text), nil }),
			reflect.TypeFor[ID]():      parse(parseID),
			reflect.TypeFor[URL]():     parse(parseURL),
			reflect.TypeFor[Hosts]():   parse(parseHosts),
			reflect.TypeFor[Model]():   parse(parseModel),
			reflect.TypeFor[Choice]():  parse(parseChoice),
			reflect.TypeFor[Choices](): parse(func(_ Variable, text string) (any, error) { return parseChoices(text), nil }),
			reflect.TypeFor[IDs]():     parse(func(_ Variable, text string) (any, error) { return parseIDs(text), nil }),
		},
	})
	var all env.AggregateError
	if errors.As(err, &all) {
		return Config{}, &Error{Problems: problems(all.Errors)}
	}
	if err != nil {
		return cfg, err
	}
	if odd := cfg.contradictions(); len(odd) > 0 {
		return cfg, &Error{Problems: odd}
	}
	return cfg, nil
}

var taskPrefix = regexp.MustCompile(`^[a-z]{1,10}$`)

// contradictions are settings that are valid one by one but not together.
func (c Config) contradictions() []string {
	var odd []string
	for _, a := range []struct {
		name string
		Access
	}{{"OPENAI", Access(c.OpenAI)}, {"ANTHROPIC", Access(c.Anthropic)}, {"GEMINI", Access(c.Gemini)}, {"OPENROUTER", Access(c.Router)}} {
		if a.BaseURL.travelsOpenly() && a.Key.Reveal() != "" {
			odd = append(odd, fmt.Sprintf("%[1]s_BASE_URL: plain http is for this machine only, since a key travels with it; use https, or unset %[1]s_API_KEY", a.name))
		}
	}
	if c.Speech.BaseURL.travelsOpenly() && c.Speech.Key.Reveal() != "" {
		odd = append(odd, "DISCOCLAW_STT_BASE_URL: plain http is for this machine only, since a key travels with it; use https, or unset DISCOCLAW_STT_API_KEY")
	}
	if c.Gemini.BaseURL.travelsOpenly() && c.Images.GeminiKey.Reveal() != "" {
		odd = append(odd, "GEMINI_BASE_URL: plain http is for this machine only, since a key travels with it; use https, or unset IMAGEGEN_GEMINI_API_KEY")
	}
	odd = append(odd, c.Recall.contradictions()...)
	if !taskPrefix.MatchString(c.Tasks.Prefix) {
		odd = append(odd, fmt.Sprintf("DISCOCLAW_TASKS_PREFIX: %s is not a prefix such as ws, of at most ten small letters", quote(c.Tasks.Prefix)))
	}
	if c.Actions.DeferMaxDelay == 0 {
		odd = append(odd, "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS: 0 would allow no deferred run at all; use a number above it, or set DISCOCLAW_DISCORD_ACTIONS_DEFER=0")
	}
	return odd
}

// contradictions are those of a server for embeddings.
func (r Recall) contradictions() []string {
	var odd []string
	if r.BaseURL.travelsOpenly() && r.Key.Reveal() != "" {
		odd = append(odd, "COLD_STORAGE_BASE_URL: plain http is for this machine only, since a key travels with it; use https, or unset COLD_STORAGE_API_KEY")
	}
	if r.Enabled && r.Provider == "openai-compat" && (r.Model == "" || r.Dimensions == 0 || r.BaseURL == "") {
		odd = append(odd, "COLD_STORAGE_PROVIDER: openai-compat also needs COLD_STORAGE_BASE_URL, COLD_STORAGE_MODEL and COLD_STORAGE_DIMENSIONS")
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
	switch {
	case v.Min != nil && v.Max != nil:
		return fmt.Sprintf(" from %d to %d", *v.Min, *v.Max)
	case v.Min != nil:
		return fmt.Sprintf(" of at least %d", *v.Min)
	case v.Max != nil:
		return fmt.Sprintf(" of at most %d", *v.Max)
	}
	return ""
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

// Warnings name settings that are accepted but have no effect.
func (c Config) Warnings() []string {
	var warnings []string
	for _, list := range []struct {
		name string
		ids  IDs
	}{
		{"DISCORD_ALLOW_USER_IDS", c.Discord.Users},
		{"DISCOCLAW_OPERATOR_USER_IDS", c.Discord.Operators},
		{"DISCORD_CHANNEL_IDS", c.Discord.Channels},
		{"DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST", c.Commands.Verbose},
		{"COLD_STORAGE_CHANNEL_FILTER", c.Recall.Channels},
	} {
		for _, entry := range list.ids.Invalid() {
			warnings = append(warnings, fmt.Sprintf("%s: %s is not a Discord ID (15 to 20 digits) and is ignored", list.name, quote(entry)))
		}
	}
	if _, err := time.LoadLocation(c.Chat.Timezone); err != nil {
		warnings = append(warnings, fmt.Sprintf("DEFAULT_TIMEZONE: there is no time zone %s on this machine, so its own is used; names are such as Europe/Berlin", quote(c.Chat.Timezone)))
	}
	if c.OpenAI.BaseURL.travelsOpenly() {
		warnings = append(warnings, "OPENAI_BASE_URL is plain http to another machine: conversations can be read on the way")
	}
	if c.Recall.BaseURL.travelsOpenly() {
		warnings = append(warnings, "COLD_STORAGE_BASE_URL is plain http to another machine: messages can be read on the way")
	}
	if c.Discord.API.travelsOpenly() {
		warnings = append(warnings, "DISCORD_API_URL is plain http to another machine: the token can be read on the way")
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
		if !ours && !shared || slices.Contains(known, name) {
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
