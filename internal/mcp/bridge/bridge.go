// Package bridge connects an MCP client that starts programs, and talks to them over their input and output, with the bot that runs on this
// machine.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/mcp/serve"
)

// Options say which bot is reached.
type Options struct {
	serve.Settings
	Version string
	In      io.Reader
	Out     io.Writer
}

// Run passes requests on to the bot with the same settings, until the client closes its end, or ctx ends.
func Run(ctx context.Context, o Options) error {
	if datadir.InUse(o.Dir) == nil {
		return fmt.Errorf("no bot is running with the data directory %s; start it with discoclaw run", o.Dir)
	}
	token, err := o.ReadToken()
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the running bot does not answer MCP clients: restart it, with DISCOCLAW_MCP_ENABLED=1 in its settings")
	}
	if err != nil {
		return err
	}
	if err := pass(ctx, o, token); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the bot at %s does not answer: check that it runs with the same DISCOCLAW_MCP_PORT, and restart it: %w", o.Address(), err)
	}
	return nil
}

// pass passes requests on. Each side speaks the version of the protocol that suits it.
func pass(ctx context.Context, o Options, token string) error {
	self := &mcp.Implementation{Name: "discoclaw", Version: o.Version}
	bot, err := mcp.NewClient(self, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: "http://" + o.Address() + serve.Path, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return err
	}
	defer bot.Close()
	server := mcp.NewServer(self, &mcp.ServerOptions{
		Instructions: bot.InitializeResult().Instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, PageSize: 1000,
	})
	for tool, err := range bot.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := bot.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: req.Params.Arguments})
			if err != nil {
				return nil, fmt.Errorf("the bot does not answer; it may have been stopped, and whether this was done is not known: %w", err)
			}
			return result, nil
		})
	}
	return server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(o.In), Writer: open{o.Out}})
}

// bearer sends the token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// open leaves a writer open that is not ours to close.
type open struct{ io.Writer }

func (open) Close() error { return nil }
