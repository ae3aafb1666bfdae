package foreign

import (
	"errors"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// A pressed is what a person sees of an answer.
type pressed struct {
	fakediscord.Answer
	err error
}

// answers has a person act, answers the interaction, and returns what the person sees.
func (g *gopher) answers(act func() (fakediscord.Answer, error), with *discordgo.InteractionResponse) (fakediscord.Answer, error) {
	return g.answersBy(act, func(to *discordgo.Interaction) error { return g.s.InteractionRespond(to, with) })
}

// answersBy is answers for an answer that is given in another way.
func (g *gopher) answersBy(act func() (fakediscord.Answer, error), answer func(*discordgo.Interaction) error) (fakediscord.Answer, error) {
	seen := make(chan pressed, 1)
	var told discordgo.InteractionCreate
	err := g.hears("INTERACTION_CREATE", &told, func() error {
		go func() {
			a, err := act()
			seen <- pressed{a, err}
		}()
		return nil
	})
	if err != nil {
		return fakediscord.Answer{}, err
	}
	g.interaction = told.Interaction
	select {
	case p := <-seen:
		return p.Answer, fmt.Errorf("nothing was answered yet, but the person sees %+v, %w", p.Answer, p.err)
	default:
	}
	if err := answer(told.Interaction); err != nil {
		return fakediscord.Answer{}, err
	}
	p := <-seen
	return p.Answer, p.err
}

// press has ada press the button of a message.
func (g *gopher) press(with *discordgo.InteractionResponse) (fakediscord.Answer, error) {
	return g.answers(func() (fakediscord.Answer, error) { return g.Press("ada", messageID(g.message), "go") }, with)
}

// goCommands has commands and buttons, and answers those who use them.
var goCommands = []goStep{
	{"a command", func(g *gopher) (err error) {
		g.command, err = g.s.ApplicationCommandCreate(g.s.State.User.ID, "", &discordgo.ApplicationCommand{Name: "claw", Description: "Claws.", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "say", Description: "Say it.", Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionString, Name: "text", Description: "What.", Required: true}}},
		}})
		return err
	}},
	{"a command without subcommands", func(g *gopher) error {
		_, err := g.s.ApplicationCommandCreate(g.s.State.User.ID, "", &discordgo.ApplicationCommand{Name: "plain", Description: "Plain."})
		return err
	}},
	{"a command of one server", func(g *gopher) error {
		_, err := g.s.ApplicationCommandCreate(g.s.State.User.ID, g.guild, &discordgo.ApplicationCommand{Name: "local", Description: "Local."})
		return err
	}},
	{"a change of a command", func(g *gopher) error {
		c, err := g.s.ApplicationCommandEdit(g.s.State.User.ID, "", g.command.ID, &discordgo.ApplicationCommand{Name: "claw", Description: "Has claws.", Options: g.command.Options})
		return errors.Join(err, is("the description", c != nil && c.Description == "Has claws.", true))
	}},
	{"commands", func(g *gopher) error {
		all, err := g.s.ApplicationCommands(g.s.State.User.ID, "")
		return errors.Join(err, is("commands", len(all), 2))
	}},
	{"all commands at once", func(g *gopher) error {
		_, err := g.s.ApplicationCommandBulkOverwrite(g.s.State.User.ID, "", []*discordgo.ApplicationCommand{g.command})
		return err
	}},
	{"an answer to a command", func(g *gopher) error {
		a, err := g.answers(func() (fakediscord.Answer, error) { return g.World.Run("ada", "#general", "claw say hello") }, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource, Data: &discordgo.InteractionResponseData{Content: "said"}})
		return errors.Join(err, is("the answer", a.Message.Content, "said"))
	}},
	{"what the command was given", func(g *gopher) error {
		data := g.interaction.ApplicationCommandData()
		return errors.Join(is("the name", data.Name, "claw"), is("the text", data.Options[0].Options[0].StringValue(), "hello"), is("the user", g.interaction.Member.User.Username, "ada"))
	}},
	{"the answer that was given", func(g *gopher) error {
		m, err := g.s.InteractionResponse(g.interaction)
		return errors.Join(err, is("the text", m != nil && m.Content == "said", true))
	}},
	{"an edit of the answer", func(g *gopher) error {
		text := "said again"
		m, err := g.s.InteractionResponseEdit(g.interaction, &discordgo.WebhookEdit{Content: &text})
		return errors.Join(err, is("the text", m != nil && m.Content == text, true))
	}},
	{"a further answer", func(g *gopher) (err error) {
		g.message, err = g.s.FollowupMessageCreate(g.interaction, true, &discordgo.WebhookParams{Content: "and more"})
		return errors.Join(err, is("the text", g.message != nil && g.message.Content == "and more", true))
	}},
	{"an edit of the further answer", func(g *gopher) error {
		text := "and less"
		m, err := g.s.FollowupMessageEdit(g.interaction, g.message.ID, &discordgo.WebhookEdit{Content: &text})
		return errors.Join(err, is("the text", m != nil && m.Content == text, true))
	}},
	{"the further answer less", func(g *gopher) error { return g.s.FollowupMessageDelete(g.interaction, g.message.ID) }},
	{"the answer less", func(g *gopher) error { return g.s.InteractionResponseDelete(g.interaction) }},
	{"an answer for one person only", func(g *gopher) error {
		if err := g.sends("#general", &discordgo.MessageSend{Content: "press", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Go", Style: discordgo.PrimaryButton, CustomID: "go"}}}}}); err != nil {
			return err
		}
		a, err := g.press(&discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: &discordgo.InteractionResponseData{Content: "psst", Flags: discordgo.MessageFlagsEphemeral}})
		return errors.Join(err, is("for", a.Message.OnlyFor, chat.UserID(g.user("ada"))))
	}},
	{"which button it was", func(g *gopher) error {
		return errors.Join(is("the button", g.interaction.MessageComponentData().CustomID, "go"), is("the message", g.interaction.Message.ID, g.message.ID))
	}},
	{"an answer that comes later", func(g *gopher) error {
		if _, err := g.press(&discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}); err != nil {
			return err
		}
		text := "at last"
		m, err := g.s.InteractionResponseEdit(g.interaction, &discordgo.WebhookEdit{Content: &text})
		return errors.Join(err, is("the text", m != nil && m.Content == text, true))
	}},
	{"an answer that says nothing", func(g *gopher) error {
		_, err := g.press(&discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate})
		return err
	}},
	{"a second first answer", func(g *gopher) error {
		return refused(g.s.InteractionRespond(g.interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}), 400, 40060)
	}},
	{"a form to fill in", func(g *gopher) error {
		var got struct {
			Interaction struct{ ID string }
			Resource    any
		}
		_, err := g.answersBy(func() (fakediscord.Answer, error) { return g.Press("ada", messageID(g.message), "go") }, func(to *discordgo.Interaction) error {
			return g.asks("POST", discordgo.EndpointInteractionResponse(to.ID, to.Token)+"?with_response=true", &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal,
				Data: &discordgo.InteractionResponseData{CustomID: "form", Title: "Form", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.TextInput{CustomID: "t", Label: "Text", Style: discordgo.TextInputShort}}}}}}, &got)
		})
		return errors.Join(err, is("the response", got.Interaction.ID, g.interaction.ID), is("its resource", got.Resource, nil))
	}},
	{"a form that is filled in", func(g *gopher) error {
		a, err := g.answers(func() (fakediscord.Answer, error) {
			return g.Submit("ada", "#general", "form", map[string]string{"t": "because"})
		}, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate})
		if err != nil || g.interaction.Message == nil {
			return errors.Join(err, is("a message", g.interaction.Message != nil, true))
		}
		return errors.Join(is("the message", g.interaction.Message.ID, g.message.ID), is("the form", g.interaction.ModalSubmitData().CustomID, "form"), is("the answer", a.Kind, fakediscord.UpdateDeferred))
	}},
	{"an answer that changes the message", func(g *gopher) error {
		a, err := g.press(&discordgo.InteractionResponse{Type: discordgo.InteractionResponseUpdateMessage, Data: &discordgo.InteractionResponseData{Content: "pressed"}})
		return errors.Join(err, is("the text", a.Message.Content, "pressed"))
	}},
	{"a command less", func(g *gopher) error { return g.s.ApplicationCommandDelete(g.s.State.User.ID, "", g.command.ID) }},
}
