package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline is a JavaScript function that writes elements as an outline:
// p(Hello strong(world)). Links have their address.
const outline = `function outline(node) {
	if (node.nodeType === 3) return node.data.replaceAll('\n', '⏎');
	const inner = [...node.childNodes].map(outline).join('');
	const marks = [];
	for (const name of ['class', 'href', 'target', 'rel', 'start', 'role', 'data-do']) {
		if (node.hasAttribute(name)) marks.push(name + '=' + node.getAttribute(name));
	}
	return node.localName + (marks.length ? '[' + marks.join(' ') + ']' : '') + '(' + inner + ')';
}`

const codeHead = "div[class=code-head](span[class=code-language](%s)button[class=code-copy data-do=copy](Copy))"

// link is the outline of a link.
func link(address, label string) string {
	return fmt.Sprintf("a[href=%s target=_blank rel=noopener noreferrer](%s)", address, label)
}

// place is the outline of a link to a message of this server.
func place(channel, label string) string {
	return fmt.Sprintf("a[class=mention href=#channel/%s data-do=jump](bdi(%s))", channel, label)
}

func codeBlock(language, text string) string {
	return "div[class=code-block](" + fmt.Sprintf(codeHead, language) + "pre(code(" + text + ")))"
}

func spoiler(inner string) string {
	return "span[class=spoiler role=button data-do=reveal](span[class=spoiler-hint sr-only](Hidden text; press to show it)span[class=spoiler-text](" + inner + "))"
}

func mention(words string) string { return "span[class=mention](bdi(" + words + "))" }

func TestMarkdownIsRenderedAsOnDiscord(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"plain text", "hello", "p(hello)"},
		{"line breaks count", "a\nb\n\nc", "p(a⏎b⏎⏎c)"},
		{"bold", "a **b** c", "p(a strong(b) c)"},
		{"italic with a star", "*a* b", "p(em(a) b)"},
		{"italic with an underscore", "_a_ b", "p(em(a) b)"},
		{"underlined", "__a__", "p(u(a))"},
		{"struck", "~~a~~", "p(s(a))"},
		{"bold and italic", "***a***", "p(strong(em(a)))"},
		{"italic within bold", "**a *b* c**", "p(strong(a em(b) c))"},
		{"bold within italic", "*a **b** c*", "p(em(a strong(b) c))"},
		{"underlined bold", "__**a**__", "p(u(strong(a)))"},
		{"over a line break", "**a\nb**", "p(strong(a⏎b))"},
		{"stars with spaces", "2 * 3 * 4", "p(2 * 3 * 4)"},
		{"names with underscores", "some_file_name and __init__", "p(some_file_name and u(init))"},
		{"a mark without a partner", "a ** b", "p(a ** b)"},
		{"nothing between marks", "**** __ __", "p(**** __ __)"},
		{"escaped", `\*a\* \_b\_ \\`, `p(*a* _b_ \)`},
		{"a backslash before a letter", `C:\dir`, `p(C:\dir)`},
		{"spoiler", "||a **b**||", "p(" + spoiler("a strong(b)") + ")"},
		{"code", "run `go test`", "p(run code(go test))"},
		{"code keeps marks", "`**a**`", "p(code(**a**))"},
		{"code with a backtick", "``a`b``", "p(code(a`b))"},
		{"a backtick without a partner", "it`s `` odd", "p(it`s `` odd)"},
		{"code block", "```\na\n  b\n```", codeBlock("text", "a⏎  b")},
		{"code block with a language", "```go\nx := 1\n```", codeBlock("go", "x := 1")},
		{"one word is no language", "```go```", codeBlock("text", "go")},
		{"code block within text", "see ```a``` there", "p(see )" + codeBlock("text", "a") + "p( there)"},
		{"code block keeps marks", "```\n**a** <@1>\n# b\n```", codeBlock("text", "**a** <@1>⏎# b")},
		{"unclosed code block", "```go\nx", "p(```go⏎x)"},
		{"empty code block", "``````", "p(``````)"},
		{"quote", "> a\n> b\nc", "blockquote(p(a⏎b))p(c)"},
		{"quote of the rest", ">>> a\nb", "blockquote(p(a⏎b))"},
		{"no quote without a space", ">a", "p(>a)"},
		{"quotes do not nest", "> > a", "blockquote(p(> a))"},
		{"code in a quote", "> ```\n> a\n> ```", "blockquote(" + codeBlock("text", "a") + ")"},
		{"headings", "# a\n## b\n### c\n#### d", "h3[class=rich-heading level-1](a)h4[class=rich-heading level-2](b)h5[class=rich-heading level-3](c)p(#### d)"},
		{"no heading without a space", "#a", "p(#a)"},
		{"subtext", "-# small **b**", "p[class=rich-subtext](small strong(b))"},
		{"list", "- a\n- b", "ul(li(a)li(b))"},
		{"list with stars", "* a\n* b", "ul(li(a)li(b))"},
		{"nested list", "- a\n  - b\n    - c\n- d", "ul(li(aul(li(bul(li(c)))))li(d))"},
		{"numbered list", "1. a\n2. b", "ol(li(a)li(b))"},
		{"numbered list that begins later", "7. a\n8. b", "ol[start=7](li(a)li(b))"},
		{"item over two lines", "- a\n  more\n- b", "ul(li(a⏎more)li(b))"},
		{"text around a list", "a\n- b\nc", "p(a)ul(li(b))p(c)"},
		{"formatting in a list", "- **a**", "ul(li(strong(a)))"},
		{"address", "see https://example.com/a.", "p(see " + link("https://example.com/a", "https://example.com/a") + ".)"},
		{"address in parentheses", "(https://example.com/a_(b))", "p((" + link("https://example.com/a_(b)", "https://example.com/a_(b)") + "))"},
		{"address in angles", "<https://example.com/>", "p(" + link("https://example.com/", "https://example.com/") + ")"},
		{"address in bold", "**https://example.com/**", "p(strong(" + link("https://example.com/", "https://example.com/") + "))"},
		{"named link", "[here **now**](https://example.com/)", "p(" + link("https://example.com/", "here strong(now)") + ")"},
		{"address without encryption", "http://example.com/ [a](http://example.com/)", "p(" + link("http://example.com/", "http://example.com/") + " " + link("http://example.com/", "a") + ")"},
		{"message of this server", "https://discord.com/channels/9/100000000000000011/5", "p(" + place("100000000000000011", "#general › message") + ")"},
		{"named link to a message of this server", "[a **message**](https://discord.com/channels/9/100000000000000011/5)", "p(" + place("100000000000000011", "a strong(message)") + ")"},
		{"message elsewhere", "https://discord.com/channels/10/100000000000000011/5", "p(" + link("https://discord.com/channels/10/100000000000000011/5", "https://discord.com/channels/10/100000000000000011/5") + ")"},
		{"message in a hidden channel", "[a](https://discord.com/channels/9/4/5)", "p(" + link("https://discord.com/channels/9/4/5", "a") + ")"},
		{"person", "<@100000000000000001> and <@!100000000000000001>", "p(" + mention("@you") + " and " + mention("@you") + ")"},
		{"unknown person", "<@5>", "p(" + mention("@somebody") + ")"},
		{"channel", "<#100000000000000011>", "p(a[class=mention href=#channel/100000000000000011](bdi(#general)))"},
		{"hidden channel", "<#5>", "p(" + mention("#unknown channel") + ")"},
		{"role", "<@&7>", "p(" + mention("@crew") + ")"},
		{"everyone", "@everyone @here @everyones", "p(" + mention("@everyone") + " " + mention("@here") + " @everyones)"},
		{"custom emoji", "<:wave:123> <a:dance:4>", "p(span[class=custom-emoji](:wave:) span[class=custom-emoji](:dance:))"},
		{"not a mention", "<@abc> <#> < @1>", "p(<@abc> <#> < @1>)"},
		{"formatting without end", "**a *b __c ~~d ||e `f", "p(**a *b __c ~~d ||e `f)"},
	}
	checkMarkdown(t, cases)
}

// TestHostileTextStaysText: none of it may become an element that runs or a link to
// another address than it shows.
func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"script", "<script>alert(1)</script>", "p(<script>alert(1)</script>)"},
		{"image", `<img src=x onerror="alert(1)">`, `p(<img src=x onerror="alert(1)">)`},
		{"markup in code", "`<b>`", "p(code(<b>))"},
		{"markup in a code block", "```html\n<script>x</script>\n```", codeBlock("html", "<script>x</script>")},
		{"markup as a language", "```<b>\nx\n```", codeBlock("text", "<b>⏎x")},
		{"script as an address", "[a](javascript:alert(1))", "p([a](javascript:alert(1)))"},
		{"script in angles", "<javascript:alert(1)>", "p(<javascript:alert(1)>)"},
		{"data as an address", "[a](data:text/html,x)", "p([a](data:text/html,x))"},
		{"a name before the host", "https://discord.com@evil.example/", "p(https://discord.com@evil.example/)"},
		{"a label that is another address", "[https://good.example](https://evil.example/)", "p([" + link("https://good.example/", "https://good.example") + "](" + link("https://evil.example/", "https://evil.example/") + "))"},
		{"quotes in an address", `https://example.com/"onmouseover="x`, "p(" + link("https://example.com/", "https://example.com/") + `"onmouseover="x)`},
		{"entities", "&lt;b&gt; &amp;", "p(&lt;b&gt; &amp;)"},
		{"markup in a channel's name", "<#8>", "p(a[class=mention href=#channel/8](bdi(#<b>bold</b>)))"},
	}
	checkMarkdown(t, cases)
}

func checkMarkdown(t *testing.T, cases []struct{ name, in, want string }) {
	t.Helper()
	b := open(t, newStub(t), desktop)
	b.visit(b.stub.URL)
	var inputs []string
	for _, tt := range cases {
		inputs = append(inputs, tt.in)
	}
	got := eval[[]string](b, `(async () => {
		const { rich } = await import('/rich.js');
		const names = {
			person: (id) => ({ '100000000000000001': 'you' })[id] ?? null,
			channel: (id) => ({ '100000000000000011': 'general', 8: '<b>bold</b>' })[id] ?? null,
			role: (id) => ({ 7: 'crew' })[id] ?? null,
			guild: () => '9',
		};
		`+outline+`
		return `+quote(inputs)+`.map((text) => rich(text, names).map(outline).join(''));
	})()`)
	for i, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, got[i]); diff != "" {
				t.Errorf("%q is shown as\n%s\nwant\n%s", tt.in, got[i], tt.want)
			}
		})
	}
}

// TestNoTextIsSlowToRead: the longest messages of Discord, made of what makes parsers of
// Markdown slow. It checks the number of steps, not the time: a parser that backtracks
// would not end.
func TestNoTextIsSlowToRead(t *testing.T) {
	t.Parallel()
	b := open(t, newStub(t), desktop)
	b.visit(b.stub.URL)
	for _, part := range []string{"*", "**", "_", "__ ", "~~", "||", "`", "`` ", "[", "[a](", "<", "> ", ">>> ", "- ", "  - ", "*a **b ", "_a*", "https://", "<@1", "\\", "```", "a* ", "|| ||", "# ", "1. ", "***a "} {
		text := strings.Repeat(part, 4000/len(part))
		if n := eval[int](b, `import('/rich.js').then(({ rich }) => rich(`+quote(text)+`, { person: () => null, channel: () => null, role: () => null, guild: () => null }).length)`); n == 0 && strings.TrimSpace(text) != "" {
			t.Errorf("%q repeated is shown as nothing", part)
		}
	}
}
