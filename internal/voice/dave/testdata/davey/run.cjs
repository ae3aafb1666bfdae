// Wraps davey's sessions for a test in Go: one request a line on stdin, one answer a line on stdout. Bytes are in hexadecimal.
// node run.cjs FOLDER, which has node_modules
const path = require('node:path');
const readline = require('node:readline');
const { DAVESession } = require(path.join(process.argv[2], 'node_modules', '@snazzah', 'davey'));

const sessions = new Map();
const bytes = (hex) => Buffer.from(hex ?? '', 'hex');

const commands = {
	join({ user, channel, data }) {
		const s = new DAVESession(1, user, channel);
		sessions.set(user, s);
		s.setExternalSender(bytes(data));
		return { data: s.getSerializedKeyPackage().toString('hex') };
	},
	leave({ user }) {
		sessions.delete(user);
		return {};
	},
	rejoin({ user, channel, data }) {
		const s = sessions.get(user);
		s.reinit(1, user, channel);
		s.setExternalSender(bytes(data));
		return { data: s.getSerializedKeyPackage().toString('hex') };
	},
	proposals({ user, data, known }) {
		const all = bytes(data);
		const made = sessions.get(user).processProposals(all[0], all.subarray(1), known);
		return { data: made.commit ? Buffer.concat([made.commit, made.welcome ?? Buffer.alloc(0)]).toString('hex') : '' };
	},
	commit: ({ user, data }) => (sessions.get(user).processCommit(bytes(data)), {}),
	welcome: ({ user, data }) => (sessions.get(user).processWelcome(bytes(data)), {}),
	seal: ({ user, data }) => ({ data: sessions.get(user).encryptOpus(bytes(data)).toString('hex') }),
	open: ({ user, from, data }) => ({ data: sessions.get(user).decrypt(from, 0, bytes(data)).toString('hex') }),
	code: ({ user }) => ({ text: sessions.get(user).voicePrivacyCode }),
	passthrough: ({ user, on }) => (sessions.get(user).setPassthroughMode(on), {}),
	pairwise: async ({ user, from }) => ({ text: await sessions.get(user).getVerificationCode(from) }),
};

(async () => {
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const request = JSON.parse(line);
		let answer;
		try {
			answer = await commands[request.do](request);
		} catch (error) {
			answer = { error: String(error.message ?? error) };
		}
		process.stdout.write(`${JSON.stringify(answer)}\n`);
	}
})();
