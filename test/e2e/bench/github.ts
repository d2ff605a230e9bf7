import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanUp } from './clean-up';
import type { MergeMethod } from './git-server';
import { GitServer } from './git-server';
import { CertificateAuthority } from './pki';
import { temporaryFolder } from './temporary';

/** A pull request, with the fields that GitHub's documentation names. */
export interface Pull {
  readonly number: number;
  readonly html_url: string;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  state: 'open' | 'closed';
  merged_at: string | null;
  merge_commit_sha: string | null;
}

/** A deployment of a commit to an environment, its states the newest first. */
interface Deployment {
  readonly id: number;
  readonly sha: string;
  readonly environment: string;
  readonly states: string[];
}

/** What happens to requests in place of an ordinary answer. */
export interface HostingFault {
  /** Method and path that it happens to. @default - all, those of git too */
  readonly to?: RegExp;
  /** How many. @default 1 */
  readonly times?: number;
  /** Status of the answer. @default - the connection breaks */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Words of the answer. @default 'fault' */
  readonly message?: string;
  /** The request is answered so much later, in milliseconds, and otherwise as always. */
  readonly slow?: number;
  /** Whether the request has its effect, and only the answer is lost. @default false */
  readonly lost?: boolean;
}

/**
 * A stand-in of GitHub Enterprise Server on loopback with one repository: git at `/OWNER/NAME.git`, and of the REST API the
 * endpoints that a swap asks, at `/api/v3`. It speaks TLS, and takes one token.
 *
 * @see https://docs.github.com/en/enterprise-server@3.17/rest/pulls/pulls
 * @see https://docs.github.com/en/enterprise-server@3.17/rest/commits/statuses
 * @see https://docs.github.com/en/enterprise-server@3.17/rest/deployments/statuses
 */
export class GitHub {
  public readonly pulls: Pull[] = [];
  /** What was asked, in order: `GET pulls/1`, `POST /acme/infra.git/git-receive-pack`. */
  public readonly asked: string[] = [];
  /** The token that is taken. */
  public token = 'ghs_abcdefgh12345678';
  /** Is called when a pull request has been made. */
  public onPull: (pull: Pull) => void = () => undefined;
  /** Is called when `main` has moved by a merge. */
  public onMerge: (commit: string) => void = () => undefined;
  /** Whether the branch of a pull request goes with its merge, as a repository can be set up. */
  public deletesBranches = false;
  private readonly statuses: { sha: string; context: string; state: string }[] = [];
  private readonly deployments: Deployment[] = [];
  private readonly known = new Map<string, boolean>();
  private readonly faults: (HostingFault & { left: number })[] = [];

  private constructor(
    public readonly repository: GitServer,
    private readonly server: Server,
    /** A file with the certificate of its authority. */
    public readonly authorityFile: string,
  ) {}

  public static async start(files: Readonly<Record<string, string>>): Promise<GitHub> {
    const authority = await CertificateAuthority.create('git hosting');
    const { certificate: cert, key } = await authority.issue({ name: 'git', addresses: ['127.0.0.1'] });
    const file = join(temporaryFolder('git-hosting'), 'ca.pem');
    writeFileSync(file, authority.certificate);
    const repository = new GitServer('acme/infra', files);
    const server = createServer({ cert, key });
    const hosting = new GitHub(repository, server, file);
    // A client that is killed breaks off what it asks.
    server.on('request', (request, response) => {
      hosting.serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onCleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    return hosting;
  }

  /** `https://127.0.0.1:PORT` */
  public get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Settings of a swap file that lead here. */
  public get settings() {
    return {
      repository: `${this.url}/${this.repository.name}.git`,
      github: {
        repository: this.repository.name,
        token: { env: 'GITHUB_TOKEN' },
        api: `${this.url}/api/v3`,
      },
    };
  }

  /** Environment of a process that uses it. */
  public get env(): Record<string, string> {
    return {
      GITHUB_TOKEN: this.token,
      NODE_EXTRA_CA_CERTS: this.authorityFile,
      GIT_SSL_CAINFO: this.authorityFile,
    };
  }

  /** From now on the next requests go wrong. */
  public fail(fault: HostingFault): void {
    this.faults.push({ ...fault, left: fault.times ?? 1 });
  }

  /** Ends all faults. */
  public heal(): void {
    this.faults.length = 0;
  }

  /** A person merges. */
  public merge(pull: Pull, method: MergeMethod = 'merge'): string {
    const commit = this.repository.merge(pull.head, method, `${pull.title} (#${pull.number})`);
    Object.assign(pull, {
      state: 'closed',
      merged_at: new Date().toISOString(),
      merge_commit_sha: commit,
    });
    if (this.deletesBranches) {
      this.repository.git('update-ref', '-d', `refs/heads/${pull.head}`);
    }
    this.onMerge(commit);
    return commit;
  }

  /** A person closes it without a merge. */
  public close(pull: Pull): void {
    pull.state = 'closed';
  }

  /** A pipeline reports the status of a commit. */
  public report(sha: string, context: string, state: string): void {
    this.statuses.push({ sha, context, state });
  }

  /** A pipeline deploys a commit; answers what it reports with. */
  public deploy(sha: string, environment: string): (state: string) => void {
    const deployment = { id: this.deployments.length + 1, sha, environment, states: ['in_progress'] };
    this.deployments.push(deployment);
    return (state) => {
      deployment.states.unshift(state);
      if (state === 'success') {
        // As `auto_inactive` does, which is on where a pipeline does not say otherwise.
        const earlier = this.deployments.filter(
          (each) => each !== deployment && each.environment === environment && each.states[0] === 'success',
        );
        earlier.forEach(({ states }) => states.unshift('inactive'));
      }
    };
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const api = `/api/v3/repos/${this.repository.name}/`;
    const path = pathname.startsWith(api) ? pathname.slice(api.length) : pathname;
    const asked = `${request.method} ${path}`;
    this.asked.push(asked);
    const fault = this.faultOf(asked);
    if (fault?.slow !== undefined) {
      await new Promise((done) => setTimeout(done, fault.slow));
    } else if (fault?.status !== undefined) {
      json(response, fault.status, { message: fault.message ?? 'fault' }, fault.headers);
      return;
    } else if (fault && fault.lost !== true) {
      request.socket.destroy();
      return;
    }
    if (path === pathname) {
      this.serveGit(request, response);
      return;
    }
    let body = '';
    for await (const part of request) {
      body += String(part);
    }
    const [status, content] =
      request.headers.authorization === `Bearer ${this.token}`
        ? this.answer(asked, searchParams, body)
        : [401, { message: 'Bad credentials' }];
    if (fault?.lost === true) {
      request.socket.destroy();
    } else {
      json(response, status, content);
    }
  }

  private faultOf(asked: string): HostingFault | undefined {
    const found = this.faults.find(({ to, left }) => left > 0 && (to === undefined || to.test(asked)));
    if (found) {
      found.left -= 1;
    }
    return found;
  }

  private serveGit(request: IncomingMessage, response: ServerResponse): void {
    const basic = Buffer.from(`x-access-token:${this.token}`).toString('base64');
    if (request.headers.authorization === `Basic ${basic}`) {
      this.repository.serve(request, response);
      return;
    }
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  }

  private answer(asked: string, query: URLSearchParams, body: string): [number, unknown] {
    const perPage = Number(query.get('per_page') ?? 30);
    const [, number] = /^(?:GET|PATCH) pulls\/(\d+)$/.exec(asked) ?? [];
    const [, sha] = /^GET commits\/([0-9a-f]{40})\/status$/.exec(asked) ?? [];
    const [, deployment] = /^GET deployments\/(\d+)\/statuses$/.exec(asked) ?? [];
    if (asked === 'POST pulls') {
      return this.create(JSON.parse(body) as Pull);
    }
    if (asked === 'GET pulls') {
      const [head, state] = [query.get('head'), query.get('state') ?? 'open'];
      const owner = this.repository.name.split('/')[0]!;
      const found = this.pulls
        .filter((each) => head === null || head === `${owner}:${each.head}`)
        .filter((each) => state === 'all' || state === each.state)
        .reverse();
      const from = (Number(query.get('page') ?? 1) - 1) * perPage;
      return [200, found.slice(from, from + perPage).map((each) => this.shown(each))];
    }
    const pull = this.pulls[Number(number) - 1];
    if (pull) {
      if (asked.startsWith('PATCH')) {
        Object.assign(pull, JSON.parse(body));
      }
      return [200, { ...this.shown(pull), mergeable: this.mergeable(pull) }];
    }
    if (sha !== undefined) {
      return [200, this.combinedStatus(sha, perPage)];
    }
    if (asked === 'GET deployments') {
      const found = this.deployments
        .filter((each) => each.sha === query.get('sha') && each.environment === query.get('environment'))
        .reverse();
      return [200, found.slice(0, perPage).map(({ states: _, ...each }) => each)];
    }
    const states = this.deployments[Number(deployment) - 1]?.states;
    return states ? [200, states.map((state) => ({ state }))] : [404, { message: 'Not Found' }];
  }

  private create({ head, base, title, body }: Pull & { readonly base?: string }): [number, unknown] {
    const invalid = (message: string): [number, unknown] => [
      422,
      { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] },
    ];
    if (base !== 'main' || this.repository.head(head) === undefined) {
      return invalid('head or base is invalid');
    }
    if (this.pulls.some((each) => each.head === head && each.state === 'open')) {
      return invalid(`A pull request already exists for acme:${head}.`);
    }
    const number = this.pulls.length + 1;
    const pull: Pull = {
      ...{ number, title, body, head, state: 'open', merged_at: null, merge_commit_sha: null },
      html_url: `${this.url}/${this.repository.name}/pull/${number}`,
    };
    this.pulls.push(pull);
    this.onPull(pull);
    return [201, this.shown(pull)];
  }

  private shown({ head, ...pull }: Pull): object {
    const sha = this.repository.head(head);
    return {
      ...pull,
      // Before the merge, that of a commit that only shows whether it can be merged.
      ...(pull.state === 'open' && { merge_commit_sha: '0123456789'.repeat(4) }),
      head: { ref: head, label: `acme:${head}`, ...(sha !== undefined && { sha }) },
      base: { ref: 'main' },
    };
  }

  /** Computed in the background: who asks first is not told. */
  private mergeable({ head, state }: Pull): boolean | null {
    if (state === 'closed') {
      return null;
    }
    const key = `${this.repository.head(head)} ${this.repository.head('main')}`;
    const known = this.known.get(key);
    if (known === undefined) {
      this.known.set(key, this.repository.canMerge(head));
      return null;
    }
    return known;
  }

  /** The newest one of each context. */
  private combinedStatus(sha: string, perPage: number): object {
    const newest = new Map(
      this.statuses.filter((each) => each.sha === sha).map(({ context, state }) => [context, state]),
    );
    const statuses = [...newest].map(([context, state]) => ({ context, state })).slice(0, perPage);
    return { sha, state: 'pending', total_count: newest.size, statuses };
  }
}

function json(
  response: ServerResponse,
  status: number,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content));
}
