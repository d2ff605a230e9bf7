import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Git as its own tests run it: nothing of this machine's user. */
const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** Repositories as they are at first: a copy takes less than git does. */
const kept = mkdtempSync(join(tmpdir(), 'swap-git-kept-'));
afterAll(() => rmSync(kept, { recursive: true, force: true }));

/** A bare repository on this machine. */
export class BareRepository {
  public readonly folder = mkdtempSync(join(tmpdir(), 'swap-git-'));
  public readonly url = `file://${this.folder}/infra.git`;
  private readonly bare = join(this.folder, 'infra.git');

  public constructor(files: Readonly<Record<string, string>>) {
    const first = join(kept, createHash('sha256').update(JSON.stringify(files)).digest('hex'));
    if (!existsSync(first)) {
      this.run('init', '--quiet', '--bare', '--initial-branch=main', '--template=', this.bare);
      this.change(files, 'first');
      cpSync(this.bare, first, { recursive: true });
    } else {
      cpSync(first, this.bare, { recursive: true });
    }
  }

  public git(...args: string[]): string {
    return this.run('-C', this.bare, ...args).trim();
  }

  /** Somebody's commit on a branch. */
  public change(files: Readonly<Record<string, string>>, message: string, branch = 'main'): void {
    this.commit(message, branch, (work) =>
      Object.entries(files).forEach(([name, text]) => writeFileSync(join(work, name), text)),
    );
  }

  /** Somebody's link. */
  public link(name: string, target: string): void {
    this.commit('link', 'main', (work) => symlinkSync(target, join(work, name)));
  }

  private commit(message: string, branch: string, change: (work: string) => void): void {
    const work = mkdtempSync(join(this.folder, 'work-'));
    this.run('clone', '--quiet', this.bare, work);
    change(work);
    this.run('-C', work, 'add', '-A');
    this.run('-C', work, 'commit', '--quiet', '-m', message);
    this.run('-C', work, 'push', '--quiet', 'origin', `HEAD:${branch}`);
  }

  public text(file: string, revision = 'main'): string {
    return this.git('show', `${revision}:${file}`);
  }

  public remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(...args: string[]): string {
    return execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

interface Pull {
  number: number;
  html_url: string;
  state: 'open' | 'closed';
  merged_at: string | null;
  merge_commit_sha: string | null;
  readonly head: string;
  readonly title: string;
  readonly body?: string;
  /** Whether it can be merged, as far as GitHub knows. */
  mergeable?: boolean | null;
}

/** A stand-in of GitHub's REST API for one repository, with the fields that its documentation names. */
export class FakeGitHub {
  public readonly pulls: Pull[] = [];
  public readonly asked: string[] = [];
  public readonly tokens = new Set<string | undefined>();
  /** Statuses that the next requests are answered with. */
  public faults: number[] = [];
  public statuses: { context: string; state: string }[] = [];
  /** State of the context `deploy` of one commit. */
  public readonly statusOf: Record<string, string> = {};
  /** States of the newest deployment, the newest first. */
  public deployments: Readonly<Record<string, string[]>> = {};
  /** Is called at each look at a pull request. */
  public looked: (pull: Pull) => void = () => undefined;
  private readonly server = createServer((request, answer) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      this.tokens.add(request.headers.authorization);
      const [status, content] = this.answer(request.method!, new URL(request.url!, 'http://x'), body);
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    });
  });

  public constructor(private readonly repository: BareRepository) {}

  public async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  public stop(): Promise<void> {
    return new Promise((done) => {
      this.server.close(() => done());
      this.server.closeAllConnections();
    });
  }

  public merge(pull: Pull): void {
    const head = this.repository.git('rev-parse', `refs/heads/${pull.head}`);
    this.repository.git('update-ref', 'refs/heads/main', head);
    Object.assign(pull, { state: 'closed', merged_at: '2026-03-01T12:00:00Z', merge_commit_sha: head });
  }

  private answer(method: string, { pathname, searchParams }: URL, body: string): [number, unknown] {
    const fault = this.faults.shift();
    if (fault !== undefined) {
      return [fault, { message: `fault, says ${[...this.tokens].join()}` }];
    }
    const path = pathname.replace('/repos/acme/infra/', '');
    this.asked.push(`${method} ${path}`);
    const number = /^pulls\/(\d+)$/.exec(path)?.[1];
    if (method === 'POST' && path === 'pulls') {
      return this.create(JSON.parse(body) as Pull);
    }
    if (path === 'pulls') {
      const [head, state] = [searchParams.get('head'), searchParams.get('state')];
      const wanted = this.pulls.filter(
        (each) => (head === null || head === `acme:${each.head}`) && ['all', each.state].includes(state!),
      );
      return [
        200,
        wanted
          .reverse()
          .slice(0, Number(searchParams.get('per_page')))
          .map(shown),
      ];
    }
    if (number !== undefined) {
      const pull = this.pulls[Number(number) - 1]!;
      if (method === 'PATCH') {
        Object.assign(pull, JSON.parse(body));
      } else {
        this.looked(pull);
      }
      return [200, shown(pull)];
    }
    const revision = /^commits\/([0-9a-f]{40})\/status$/.exec(path)?.[1];
    if (revision !== undefined) {
      const own = this.statusOf[revision];
      const statuses = own === undefined ? this.statuses : [{ context: 'deploy', state: own }];
      return [200, { state: 'pending', statuses }];
    }
    if (path === 'deployments') {
      const environment = searchParams.get('environment')!;
      return [200, environment in this.deployments ? [{ id: 7, sha: searchParams.get('sha') }] : []];
    }
    if (path === 'deployments/7/statuses') {
      return [200, Object.values(this.deployments)[0]!.map((state) => ({ state }))];
    }
    return [404, { message: 'Not Found' }];
  }

  private create({ head, title, body }: Pull): [number, unknown] {
    if (this.pulls.some((each) => each.head === head && each.state === 'open')) {
      return [422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] }];
    }
    this.repository.git('rev-parse', '--verify', `refs/heads/${head}`);
    const number = this.pulls.length + 1;
    const pull: Pull = {
      ...{ number, head, title, body, state: 'open', merged_at: null, merge_commit_sha: null },
      html_url: `https://github.com/acme/infra/pull/${number}`,
    };
    this.pulls.push(pull);
    return [201, shown(pull)];
  }
}

function shown({ head, ...pull }: Pull): object {
  return { ...pull, head: { ref: head, label: `acme:${head}` } };
}
