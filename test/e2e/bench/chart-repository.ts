import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { dirname, join } from 'node:path';
import { helmPath } from '../tools/other-tools';
import { onCleanUp } from './clean-up';
import { CertificateAuthority } from './pki';
import { freePort, temporaryFolder } from './temporary';

/** A chart: its templates, by their paths below `templates`. */
export interface BenchChart {
  readonly name: string;
  readonly version: string;
  readonly templates: Readonly<Record<string, string>>;
}

/** Packs charts with the real Helm and serves them as a repository on 127.0.0.1; answers its URL. */
export async function chartRepository(charts: readonly BenchChart[]): Promise<string> {
  const folder = packed(charts);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  execFileSync(helmPath(), ['repo', 'index', '.', '--url', url], { cwd: folder, stdio: 'pipe' });
  const server = createServer((request, response) => {
    const file = /^\/([\w.-]+\.(?:tgz|yaml))$/.exec(request.url!)?.[1];
    try {
      response.end(readFileSync(join(folder, file!)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await listen(server, port);
  return url;
}

/**
 * Serves packed charts as an OCI registry does, with a certificate that nobody knows; answers its address with the path of
 * the charts.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pull
 */
export async function chartRegistry(charts: readonly BenchChart[]): Promise<string> {
  const folder = packed(charts);
  const content = new Map<string, { type: string; body: Buffer }>();
  const add = (type: string, body: Buffer, ...paths: string[]) => {
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    [...paths, digest].forEach((path) => content.set(path, { type, body }));
    return { mediaType: type, digest, size: body.length };
  };
  for (const { name, version } of charts) {
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: add('application/vnd.cncf.helm.config.v1+json', Buffer.from(JSON.stringify({ name, version }))),
      layers: [
        add(
          'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
          readFileSync(join(folder, `${name}-${version}.tgz`)),
        ),
      ],
    };
    add(manifest.mediaType, Buffer.from(JSON.stringify(manifest)), `${name}/${version}`);
  }
  const answer: RequestListener = (request, response) => {
    const [, name, part, id = ''] =
      /^\/v2\/charts\/([\w-]+)\/(manifests|blobs)\/(.+)$/.exec(request.url!) ?? [];
    const found = content.get(id) ?? (part === 'manifests' ? content.get(`${name}/${id}`) : undefined);
    if (!found) {
      response.writeHead(request.url === '/v2/' ? 200 : 404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': found.type,
      'content-length': found.body.length,
      'docker-content-digest': `sha256:${createHash('sha256').update(found.body).digest('hex')}`,
    });
    response.end(request.method === 'HEAD' ? undefined : found.body);
  };
  const authority = await CertificateAuthority.create('registry-ca');
  const { certificate, key } = await authority.issue({ name: 'registry', addresses: ['127.0.0.1'] });
  const port = await freePort();
  await listen(createTlsServer({ cert: certificate, key }, answer), port);
  return `127.0.0.1:${port}/charts`;
}

/** A folder with the charts as `NAME-VERSION.tgz`. */
function packed(charts: readonly BenchChart[]): string {
  const folder = temporaryFolder('charts');
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
    execFileSync(helmPath(), ['package', source], { cwd: folder, stdio: 'pipe' });
  }
  return folder;
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  onCleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
}
