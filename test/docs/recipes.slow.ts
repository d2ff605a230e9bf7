import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import { kubeconfigOf, plainServer } from '../core/kubernetes/plain-server';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { root } from './documents';
import type { Toy } from './recipe-toys';
import { toys } from './recipe-toys';

describe('a toy of each kind, added by its recipe to a copy of the library', () => {
  const copy = mkdtempSync(join(tmpdir(), 'cluster-canary-recipes-'));
  let server: PlainServer;
  const results = new Map<keyof typeof toys, { status: number | null; out: string; err: string }>();

  beforeAll(async () => {
    const library = process.env['COMPILED_LIBRARY']!;
    cpSync(join(library, 'dist'), join(copy, 'dist'), { recursive: true });
    cpSync(join(library, 'package.json'), join(copy, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    Object.values(toys).forEach(add);
    // The one file of `lint` was made of what was there before.
    cpSync(join(copy, 'dist/cli/lint-and-harden-modules.js'), join(copy, 'dist/cli/lint-and-harden.js'));
    server = await plainServer(({ url = '' }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(url)));
    });
    write('kubeconfig', kubeconfigOf(server.port));
    write('toy.yaml', '{ apiVersion: v1, kind: Toy, metadata: { name: bear } }\n');
    write('program/Pulumi.yaml', 'name: toys\nruntime: nodejs\n');
    write('program/index.js', addonProgram);
    write('plan.yaml', planOfToys);
    const runs: Readonly<Record<keyof typeof toys, readonly string[]>> = {
      rule: ['lint', 'toy.yaml', '--rule', 'WH99', '--format', 'json'],
      router: ['shift', 'plan.yaml', '--dry-run', '--json'],
      'check of a shift': ['shift', 'plan.yaml', '--json'],
      sink: ['shift', 'plan.yaml', '--json'],
      'add-on': ['preview', 'program/index.js', '--json'],
      doctor: ['doctor', 'toy', '--kubeconfig', 'kubeconfig', '--json'],
      command: ['toy'],
    };
    await Promise.all(
      Object.entries(runs).map(async ([kind, args]) =>
        results.set(kind as keyof typeof toys, await run(args)),
      ),
    );
  });
  afterAll(async () => {
    await server.stop();
    rmSync(copy, { recursive: true });
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }

  /** Compiles a file of `lib` into the copy. */
  function compile(file: string, text: string): void {
    const { code } = transformSync(text, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
      swcrc: false,
    });
    write(file.replace(/^lib/, 'dist').replace(/\.ts$/, '.js'), code);
  }

  function add({ files: added, registry, lines: more }: Toy): void {
    Object.entries(added).forEach(([file, text]) => compile(file, text));
    const text = more.reduce(
      (before, [at, line]) => {
        const [beginning = '', ...rest] = before.split(`\n${at}`);
        expect(rest.length).toBeGreaterThan(0);
        return [beginning, `\n${line}\n${at}`, rest.join(`\n${at}`)].join('');
      },
      readFileSync(join(root, registry), 'utf8'),
    );
    compile(registry, text);
  }

  function run(args: readonly string[]): Promise<{ status: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [join(copy, 'dist/cli/main.js'), ...args], {
      cwd: copy,
      env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', NO_COLOR: '1' },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, out, err })));
  }

  test('the rule judges', () => {
    const { status, out, err } = results.get('rule')!;
    expect({ status, err }).toEqual({ status: 1, err: '' });
    expect(JSON.parse(out).findings).toMatchObject([
      { rule: 'WH99', message: 'a toy', link: 'docs/rules.md#wh99' },
    ]);
  });

  test('the router is read for a dry run of a shift', () => {
    const { status, out, err } = results.get('router')!;
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ live: true, from: { blue: 100, green: 0 }, checks: ['toy'] });
  });

  test('the check is asked after each step, and the router is written to', () => {
    const { status, out } = results.get('check of a shift')!;
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'completed', final: { blue: 0, green: 100 } });
    expect(out).toContain('red is there');
  });

  test('the sink gets the events of a shift', () => {
    const { status, out } = results.get('sink')!;
    expect(status).toBe(0);
    const [report] = JSON.parse(out).notifications;
    expect(report).toEqual({ sink: 'notify[0] toy', delivered: expect.any(Number), undelivered: 0 });
    expect(report.delivered).toBeGreaterThanOrEqual(4);
  });

  test('the add-on is planned', () => {
    // How far it is stands on stderr, where it takes long.
    const { status, out } = results.get('add-on')!;
    expect(status).toBe(0);
    const release = JSON.parse(out).resources.find((each: any) => each.type.endsWith(':Release'));
    expect(release.inputs).toMatchObject({ chart: 'toy', version: '1.2.3', values: { color: 'red' } });
  });

  test('the check of the doctor looks, beside an API server', () => {
    const { status, out, err } = results.get('doctor')!;
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(JSON.parse(out).checks).toMatchObject([{ id: 'toy', status: 'passed', evidence: ['1 red toys'] }]);
  });

  test('the command runs, and the help has it', async () => {
    expect(results.get('command')).toEqual({ status: 0, out: 'played\n', err: '' });
    expect((await run(['--help'])).out).toMatch(/^ +toy +play$/m);
    expect((await run(['doctor', '--help'])).out).toMatch(/Checks: .*, toy\./);
  });
});

/** What the doctor asks an API server: kinds, the namespace of Argo CD, and ConfigMaps. */
function answerTo(url: string): object {
  if (url === '/api/v1') {
    return {
      kind: 'APIResourceList',
      resources: [
        { kind: 'Namespace', name: 'namespaces' },
        { kind: 'ConfigMap', name: 'configmaps', namespaced: true },
      ],
    };
  }
  return url.includes('configmaps')
    ? { kind: 'ConfigMapList', metadata: {}, items: [{ metadata: { name: 'bear', namespace: 'argocd' } }] }
    : { kind: 'Namespace', metadata: { name: 'argocd' } };
}

const planOfToys = `router: { toy: { gateway: edge } }
slots: { blue: { backend: apps-blue }, green: { backend: apps-green } }
weights: { green: 100 }
shift: { step: [50], every: 1ms, bake: 0s, checks: [{ toy: { color: red } }] }
lease: none
notify: [{ toy: {} }]
`;

const addonProgram = `
const addons = require('cluster-canary/addons');
const k8s = require('@pulumi/kubernetes');
const pulumi = require('@pulumi/pulumi');
const parent = new pulumi.ComponentResource('toys:Slot', 'apps-blue');
addons.installAddons([addons.toy()], {
  name: 'apps-blue', clusterName: 'blue', clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/blue',
  region: 'eu-west-1', vpcId: 'vpc-1', autoMode: false, parent, dependsOn: [],
  kubernetes: new k8s.Provider('blue', { kubeconfig: '{}' }, { parent }),
});
`;
