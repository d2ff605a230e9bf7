import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary';

/** How a pull request is merged. */
export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** Nothing of this machine's user. */
const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** A protected branch: what is pushed to it is refused, as GitHub does. Merges are made past it. */
const protection = `#!/bin/sh
[ "$1" = refs/heads/main ] || exit 0
echo "error: GH006: Protected branch update failed for $1." >&2
exit 1
`;

/** A bare repository that `git http-backend` serves, with a protected branch `main`. */
export class GitServer {
  private readonly folder = temporaryFolder('git-server');
  private readonly bare: string;
  private works = 0;
  /** Is called when a client has pushed. */
  public onPush: () => void = () => undefined;

  /** @param name `acme/infra` */
  public constructor(
    public readonly name: string,
    files: Readonly<Record<string, string>>,
  ) {
    this.bare = join(this.folder, `${name}.git`);
    mkdirSync(dirname(this.bare), { recursive: true });
    run('init', '--quiet', '--bare', '--initial-branch=main', this.bare);
    this.git('config', 'http.receivepack', 'true');
    // Jobs that go on after a push outlive the test's folder.
    this.git('config', 'receive.autogc', 'false');
    this.commit(files, 'first');
    this.isProtected = true;
  }

  /** Whether what is pushed to `main` is refused. */
  public set isProtected(value: boolean) {
    writeFileSync(join(this.bare, 'hooks', 'update'), value ? protection : '#!/bin/sh\n', { mode: 0o755 });
  }

  /** `git` in the repository. */
  public git(...args: string[]): string {
    return run('-C', this.bare, ...args).trim();
  }

  /** A file of a branch or a commit. */
  public text(file: string, revision = 'main'): string {
    return run('-C', this.bare, 'show', `${revision}:${file}`);
  }

  /** Titles of the commits of a branch, the newest first; merges are followed to the branch itself alone. */
  public titles(branch = 'main'): string[] {
    return this.git('log', '--first-parent', '--format=%s', branch).split('\n');
  }

  /** The commit of a branch; undefined where there is no such branch. */
  public head(branch: string): string | undefined {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return undefined;
    }
  }

  /** A person's commit on a branch, which is there at once; answers it. */
  public commit(files: Readonly<Record<string, string>>, message: string, branch = 'main'): string {
    const { work, head } = this.checkout(branch);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    }
    run('-C', work, 'add', '--all');
    run('-C', work, 'commit', '--quiet', '--message', message);
    return this.publish(work, branch, head);
  }

  /** Whether a branch can be merged without a conflict. */
  public canMerge(branch: string): boolean {
    const { work } = this.checkout('main');
    try {
      run('-C', work, 'merge', '--quiet', '--no-commit', '--no-ff', this.head(branch)!);
      return true;
    } catch {
      return false;
    }
  }

  /** Merges a branch into `main`; answers the commit that `main` has then. */
  public merge(branch: string, method: MergeMethod, title: string): string {
    const { work, head } = this.checkout('main');
    const own = this.head(branch)!;
    if (method === 'merge') {
      run('-C', work, 'merge', '--quiet', '--no-ff', '--message', `Merge ${branch}`, own);
    } else if (method === 'squash') {
      run('-C', work, 'merge', '--quiet', '--squash', own);
      run('-C', work, 'commit', '--quiet', '--message', title);
    } else {
      run('-C', work, 'checkout', '--quiet', '--detach', own);
      // GitHub makes new commits even where there is nothing to be moved.
      run('-C', work, 'rebase', '--quiet', '--force-rebase', head!);
    }
    return this.publish(work, 'main', head);
  }

  /** Answers one request of git's smart protocol. */
  public serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url!, 'http://git');
    const header = (name: string): string => String(request.headers[name] ?? '');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...env,
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: header('git-protocol'),
        REMOTE_USER: 'x-access-token',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: header('content-type'),
        HTTP_CONTENT_ENCODING: header('content-encoding'),
        ...(request.headers['content-length'] !== undefined && {
          CONTENT_LENGTH: request.headers['content-length'],
        }),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    backend.stdin.on('error', () => undefined);
    request.pipe(backend.stdin);
    const parts: Buffer[] = [];
    backend.stdout.on('data', (part: Buffer) => parts.push(part));
    backend.on('close', () => {
      if (pathname.endsWith('/git-receive-pack')) {
        this.onPush();
      }
      answer(Buffer.concat(parts), response);
    });
    response.on('close', () => void backend.kill());
  }

  private checkout(branch: string): { readonly work: string; readonly head?: string } {
    const head = this.head(branch);
    this.works += 1;
    const work = join(this.folder, `work-${this.works}`);
    run('clone', '--quiet', '--shared', '--no-checkout', this.bare, work);
    if (head !== undefined) {
      run('-C', work, 'checkout', '--quiet', '--detach', head);
    }
    return { work, ...(head !== undefined && { head }) };
  }

  /** Fails where the branch has moved meanwhile. */
  private publish(work: string, branch: string, before = ''): string {
    const commit = run('-C', work, 'rev-parse', 'HEAD').trim();
    this.git('fetch', '--quiet', work, 'HEAD');
    this.git('update-ref', `refs/heads/${branch}`, commit, before);
    return commit;
  }
}

/** What a CGI program answers: headers, an empty line, the body. */
function answer(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n');
  const lines = output.subarray(0, Math.max(end, 0)).toString().split('\r\n');
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  const { Status: status = '200', ...rest } = Object.fromEntries(headers) as Record<string, string>;
  response.writeHead(end < 0 ? 500 : Number.parseInt(status, 10), rest).end(output.subarray(end + 4));
}

function run(...args: string[]): string {
  return execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
