package foreign

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// dot is a picture of one pixel.
const dot = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

// sends posts a message, waits for its event, and leaves it for later steps.
func (g *gopher) sends(channel string, m *discordgo.MessageSend) error {
	var told discordgo.Message
	return g.hearsOf("MESSAGE_CREATE", &told, func() bool { return told.ID == g.message.ID }, func() (err error) {
		g.message, err = g.s.ChannelMessageSendComplex(g.id(channel), m)
		return err
	})
}

// hearsText waits for a message with a text.
func (g *gopher) hearsText(text string, do func() error) (told discordgo.Message, err error) {
	err = g.hearsOf("MESSAGE_CREATE", &told, func() bool { return told.Content == text }, do)
	return told, err
}

// goMessages writes, changes and deletes messages.
var goMessages = []goStep{
	{"a message", func(g *gopher) error { return g.sends("#general", &discordgo.MessageSend{Content: "hello"}) }},
	{"the same message", func(g *gopher) error {
		m, err := g.s.ChannelMessage(g.message.ChannelID, g.message.ID)
		return errors.Join(err, is("its text", m != nil && m.Content == "hello", true))
	}},
	{"an edit", func(g *gopher) error {
		return g.hears("MESSAGE_UPDATE", nil, func() error {
			m, err := g.s.ChannelMessageEdit(g.message.ChannelID, g.message.ID, "hello there")
			return errors.Join(err, is("edited", m != nil && m.EditedTimestamp != nil, true))
		})
	}},
	{"an edit to an embed", func(g *gopher) error {
		m, err := g.s.ChannelMessageEditEmbed(g.message.ChannelID, g.message.ID, &discordgo.MessageEmbed{Title: "card"})
		return errors.Join(err, is("embeds", m != nil && len(m.Embeds) == 1, true))
	}},
	{"an embed", func(g *gopher) error {
		return g.sends("#general", &discordgo.MessageSend{Embed: &discordgo.MessageEmbed{
			Title: "card", Description: "text", Color: 255, Timestamp: time.Now().Format(time.RFC3339), Footer: &discordgo.MessageEmbedFooter{Text: "foot"},
			Author: &discordgo.MessageEmbedAuthor{Name: "me"}, Fields: []*discordgo.MessageEmbedField{{Name: "a", Value: "b", Inline: true}},
		}})
	}},
	{"what the embed has", func(g *gopher) error {
		e := g.message.Embeds[0]
		return errors.Join(is("the title", e.Title, "card"), is("the colour", e.Color, 255), is("fields", len(e.Fields), 1))
	}},
	{"a reply", func(g *gopher) error {
		m, err := g.said("ada", "#general", "what?")
		if err != nil {
			return err
		}
		g.message, err = g.s.ChannelMessageSendReply(m.ChannelID, "that", m.Reference())
		return errors.Join(err, is("the kind", g.message.Type, discordgo.MessageTypeReply), is("to", g.message.ReferencedMessage.ID, m.ID))
	}},
	{"a forward", func(g *gopher) error {
		_, err := g.s.ChannelMessageSendComplex(g.id("#ops"), &discordgo.MessageSend{Reference: g.message.Forward()})
		return err
	}},
	{"a silent message", func(g *gopher) error {
		err := g.sends("#general", &discordgo.MessageSend{Content: "psst", Flags: discordgo.MessageFlagsSuppressNotifications})
		return errors.Join(err, is("its flag", g.message.Flags&discordgo.MessageFlagsSuppressNotifications != 0, true))
	}},
	{"a message read aloud", func(g *gopher) error { _, err := g.s.ChannelMessageSendTTS(g.id("#general"), "loud"); return err }},
	{"a mention", func(g *gopher) error {
		err := g.sends("#general", &discordgo.MessageSend{Content: mentionOf(g.user("bob")), AllowedMentions: &discordgo.MessageAllowedMentions{Users: []string{g.user("bob")}}})
		return errors.Join(err, is("mentioned", len(g.message.Mentions), 1))
	}},
	{"a mention that is not allowed", func(g *gopher) error {
		if err := g.sends("#general", &discordgo.MessageSend{Content: "@everyone", AllowedMentions: &discordgo.MessageAllowedMentions{}}); err != nil {
			return err
		}
		return is("everyone is mentioned", g.message.MentionEveryone, false)
	}},
	{"a file", func(g *gopher) error {
		m, err := g.s.ChannelFileSend(g.id("#general"), "notes.txt", strings.NewReader("some notes"))
		g.message = m
		return errors.Join(err, is("files", m != nil && len(m.Attachments) == 1 && m.Attachments[0].Size == 10, true))
	}},
	{"what the file has in it", func(g *gopher) error {
		resp, err := g.s.Client.Get(g.message.Attachments[0].URL)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return errors.Join(err, is("the text", string(text), "some notes"))
	}},
	{"a picture", func(g *gopher) error {
		m, err := g.s.ChannelFileSendWithMessage(g.id("#general"), "look", "dot.png", strings.NewReader(dot))
		return errors.Join(err, is("its size", m != nil && m.Attachments[0].Width == 1 && m.Attachments[0].Height == 1, true))
	}},
	{"a spoiler", func(g *gopher) error {
		m, err := g.s.ChannelFileSend(g.id("#general"), "SPOILER_end.txt", strings.NewReader("the end"))
		return errors.Join(err, is("its flag", m != nil && m.Attachments[0].Flags&8 != 0, true))
	}},
	{"buttons", func(g *gopher) error {
		return g.sends("#general", &discordgo.MessageSend{Content: "press", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Label: "Yes", Style: discordgo.SuccessButton, CustomID: "yes"},
			discordgo.Button{Label: "Page", Style: discordgo.LinkButton, URL: "https://example.org"},
			discordgo.Button{Style: discordgo.PrimaryButton, CustomID: "party", Emoji: &discordgo.ComponentEmoji{ID: g.emoji.ID, Name: "party"}},
		}}}})
	}},
	{"a menu to choose from", func(g *gopher) error {
		_, err := g.s.ChannelMessageSendComplex(g.id("#general"), &discordgo.MessageSend{Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.SelectMenu{CustomID: "s", Options: []discordgo.SelectMenuOption{{Label: "a", Value: "a"}}}}}}})
		return err
	}},
	{"a poll", func(g *gopher) error {
		return g.sends("#general", &discordgo.MessageSend{Poll: &discordgo.Poll{Question: discordgo.PollMedia{Text: "tea?"}, Duration: 2,
			Answers: []discordgo.PollAnswer{{Media: &discordgo.PollMedia{Text: "yes"}}, {Media: &discordgo.PollMedia{Text: "no"}}}}})
	}},
	{"the end of a poll", func(g *gopher) error {
		if err := g.Vote("disco/ada", messageID(g.message), 1); err != nil {
			return err
		}
		return g.hearsOf("MESSAGE_CREATE", &g.result, func() bool { return g.result.Type == 46 }, func() error {
			m, err := g.s.PollExpire(g.message.ChannelID, g.message.ID)
			return errors.Join(err, is("votes", m != nil && m.Poll.Results.AnswerCounts[0].Count == 1, true))
		})
	}},
	{"the result of a poll", func(g *gopher) error {
		if len(g.result.Embeds) != 1 {
			return errors.New("it has no embed")
		}
		fields := ""
		for _, f := range g.result.Embeds[0].Fields {
			fields += f.Name + "=" + f.Value + " "
		}
		return errors.Join(is("the kind", g.result.Embeds[0].Type, "poll_result"), is("the poll", g.result.MessageReference.MessageID, g.message.ID), is("the author", g.result.Author.ID, g.user("bot")),
			is("the fields", fields, "poll_question_text=tea? victor_answer_votes=1 total_votes=1 victor_answer_id=1 victor_answer_text=yes "))
	}},
	{"who chose an answer", func(g *gopher) error {
		_, err := g.s.PollAnswerVoters(g.message.ChannelID, g.message.ID, 1)
		return err
	}},
	{"the latest messages", func(g *gopher) error {
		all, err := g.s.ChannelMessages(g.id("#general"), 3, "", "", "")
		return errors.Join(err, is("messages", len(all), 3), is("newest first", len(all) == 3 && all[0].ID > all[1].ID, true))
	}},
	{"messages before one", func(g *gopher) error {
		all, err := g.s.ChannelMessages(g.id("#general"), 2, g.message.ID, "", "")
		return errors.Join(err, is("messages", len(all), 2))
	}},
	{"messages after one", func(g *gopher) error {
		all, err := g.s.ChannelMessages(g.id("#general"), 100, "", g.message.ID, "")
		return errors.Join(err, is("the result of the poll", len(all) == 1 && all[0].ID == g.result.ID, true))
	}},
	{"messages around one", func(g *gopher) error {
		all, err := g.s.ChannelMessages(g.id("#general"), 3, "", "", g.message.ID)
		return errors.Join(err, is("messages", len(all) > 0, true))
	}},
	{"a reaction", func(g *gopher) error {
		return g.hears("MESSAGE_REACTION_ADD", nil, func() error { return g.s.MessageReactionAdd(g.message.ChannelID, g.message.ID, "🔥") })
	}},
	{"a reaction with the server's own emoji", func(g *gopher) error {
		return g.s.MessageReactionAdd(g.message.ChannelID, g.message.ID, "party:"+g.emoji.ID)
	}},
	{"who reacted", func(g *gopher) error {
		all, err := g.s.MessageReactions(g.message.ChannelID, g.message.ID, "🔥", 10, "", "")
		return errors.Join(err, is("users", len(all), 1))
	}},
	{"a reaction less", func(g *gopher) error {
		return g.hears("MESSAGE_REACTION_REMOVE", nil, func() error { return g.s.MessageReactionRemove(g.message.ChannelID, g.message.ID, "🔥", "@me") })
	}},
	{"a member's reaction less", func(g *gopher) error {
		if err := g.React("bob", messageID(g.message), "👍"); err != nil {
			return err
		}
		return g.s.MessageReactionRemove(g.message.ChannelID, g.message.ID, "👍", g.user("bob"))
	}},
	{"all reactions of an emoji less", func(g *gopher) error {
		return g.s.MessageReactionsRemoveEmoji(g.message.ChannelID, g.message.ID, "party:"+g.emoji.ID)
	}},
	{"all reactions less", func(g *gopher) error { return g.s.MessageReactionsRemoveAll(g.message.ChannelID, g.message.ID) }},
	{"a pin", func(g *gopher) error {
		return g.hears("CHANNEL_PINS_UPDATE", nil, func() error { return g.s.ChannelMessagePin(g.message.ChannelID, g.message.ID) })
	}},
	{"pins", func(g *gopher) error {
		all, err := g.s.ChannelMessagesPinned(g.message.ChannelID, nil, 10)
		return errors.Join(err, is("pins", all != nil && len(all.Items) == 1, true))
	}},
	{"a pin less", func(g *gopher) error { return g.s.ChannelMessageUnpin(g.message.ChannelID, g.message.ID) }},
	{"an announcement for other servers", func(g *gopher) error {
		if err := g.sends("news", &discordgo.MessageSend{Content: "news"}); err != nil {
			return err
		}
		m, err := g.s.ChannelMessageCrosspost(g.message.ChannelID, g.message.ID)
		return errors.Join(err, is("its flag", m != nil && m.Flags&discordgo.MessageFlagsCrossPosted != 0, true))
	}},
	{"typing", func(g *gopher) error { return g.s.ChannelTyping(g.id("#general")) }},
	{"a deletion", func(g *gopher) error {
		return g.hears("MESSAGE_DELETE", nil, func() error { return g.s.ChannelMessageDelete(g.message.ChannelID, g.message.ID) })
	}},
	{"many deletions at once", func(g *gopher) error {
		var ids []string
		for range 3 {
			m, err := g.Say("bob", "#general", "spam")
			if err != nil {
				return err
			}
			ids = append(ids, string(m.ID))
		}
		return g.hears("MESSAGE_DELETE_BULK", nil, func() error { return g.s.ChannelMessagesBulkDelete(g.id("#general"), ids) })
	}},
	{"a direct message", func(g *gopher) error {
		dm, err := g.s.UserChannelCreate(g.user("bob"))
		if err != nil {
			return err
		}
		m, err := g.s.ChannelMessageSend(dm.ID, "between us")
		return errors.Join(err, is("its kind", dm.Type, discordgo.ChannelTypeDM), is("its server", m != nil && m.GuildID == "", true))
	}},
	{"an answer to a direct message", func(g *gopher) error {
		told, err := g.hearsText("yes", func() error { _, err := g.Say("bob", "@bot", "yes"); return err })
		return errors.Join(err, is("its server", told.GuildID, ""))
	}},
}
