import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary';

/** A bare repository in a temporary folder, and the way to commit to it. */
export class GitRepository {
  /** `file://…`, as a client of another process reads it. */
  public readonly url: string;

  private readonly workTree = temporaryFolder('git-work');

  public constructor() {
    const bare = temporaryFolder('git-bare');
    git(bare, 'init', '--quiet', '--bare', '--initial-branch', 'main');
    git(this.workTree, 'clone', '--quiet', bare, '.');
    git(this.workTree, 'checkout', '--quiet', '-b', 'main');
    this.url = `file://${bare}`;
  }

  /** Writes files, by their path, and publishes them; answers the commit. */
  public commit(files: Readonly<Record<string, string>>, message = 'change'): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.workTree, path)), { recursive: true });
      writeFileSync(join(this.workTree, path), text);
    }
    git(this.workTree, 'add', '--all');
    git(this.workTree, 'commit', '--quiet', '--message', message);
    git(this.workTree, 'push', '--quiet', 'origin', 'main');
    return git(this.workTree, 'rev-parse', 'HEAD').trim();
  }
}

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=e2e', '-c', 'user.email=e2e@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
