import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { helmPath } from '../tools/other-tools';
import { onCleanUp } from './clean-up';
import { freePort, temporaryFolder } from './temporary';

/** A chart: its templates, by their paths below `templates`. */
export interface BenchChart {
  readonly name: string;
  readonly version: string;
  readonly templates: Readonly<Record<string, string>>;
}

/** Packs charts with the real Helm and serves them as a repository on 127.0.0.1; answers its URL. */
export async function chartRepository(charts: readonly BenchChart[]): Promise<string> {
  const folder = temporaryFolder('charts');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const helm = (...args: string[]) => execFileSync(helmPath(), args, { cwd: folder, stdio: 'pipe' });
  for (const { name, version, templates } of charts) {
    const source = join(folder, `${name}-${version}`);
    const files = {
      'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name, version }),
      ...Object.fromEntries(Object.entries(templates).map(([file, text]) => [`templates/${file}`, text])),
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(source, file)), { recursive: true });
      writeFileSync(join(source, file), text);
    }
    helm('package', source);
  }
  helm('repo', 'index', '.', '--url', url);
  const server = createServer((request, response) => {
    const file = /^\/([\w.-]+\.(?:tgz|yaml))$/.exec(request.url!)?.[1];
    try {
      response.end(readFileSync(join(folder, file!)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  onCleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}
