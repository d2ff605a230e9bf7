import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

/**
 * Stands for the plug-in helm-diff (https://github.com/databus23/helm-diff), as far as helmfile calls it:
 * `helm diff upgrade --allow-unreleased NAME CHART`. It compares what Helm has installed with what it renders now, object by
 * object, and with `--detailed-exitcode` ends with 2 where there is a difference.
 */
const helm = process.env.HELM_BIN!;

/** Flags of `helm template` that take a value. */
const passedOn = ['--values', '-f', '--set', '--set-string', '--set-file', '--version', '--kube-version'];

/** Flags that are not. */
const otherFlags = ['--context', '--output', '--suppress', '--kube-context', '--post-renderer'];

function main(args: readonly string[]): number {
  const words: string[] = [];
  const template: string[] = [];
  const flags = new Set<string>();
  let namespace = process.env.HELM_NAMESPACE ?? 'default';
  for (let position = 0; position < args.length; position += 1) {
    const arg = args[position]!;
    if (arg === '--namespace' || arg === '-n') {
      namespace = args[++position]!;
    } else if (passedOn.includes(arg)) {
      template.push(arg, args[++position]!);
    } else if (otherFlags.includes(arg)) {
      position += 1;
    } else if (arg.startsWith('-')) {
      flags.add(arg);
    } else {
      words.push(arg);
    }
  }
  const [verb, name, chart] = words;
  if (verb !== 'upgrade' || name === undefined || chart === undefined) {
    process.stderr.write(`Error: it can only upgrade: ${args.join(' ')}\n`);
    return 1;
  }
  const installed = run(['get', 'manifest', name, '--namespace', namespace]);
  if (installed.status !== 0 && !/release: not found/.test(installed.stderr)) {
    process.stderr.write(installed.stderr);
    return 1;
  }
  const rendered = run(['template', name, chart, '--namespace', namespace, ...template]);
  if (rendered.status !== 0) {
    process.stderr.write(rendered.stderr);
    return 1;
  }
  const before = objects(installed.status === 0 ? installed.stdout : '', namespace);
  const after = objects(rendered.stdout, namespace);
  let differs = false;
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)];
    if (was !== is) {
      differs = true;
      const what =
        was === undefined ? 'has been added' : is === undefined ? 'has been removed' : 'has changed';
      process.stdout.write(`${key} ${what}:\n${lines(key, was ?? '', is ?? '', flags)}\n`);
    }
  }
  return differs && flags.has('--detailed-exitcode') ? 2 : 0;
}

function run(args: string[]) {
  return spawnSync(helm, args, { encoding: 'utf8' });
}

function objects(text: string, namespace: string): Map<string, string> {
  return new Map(
    parseAllDocuments(text)
      .map((document) => document.toJS() as Record<string, any> | null)
      .filter((object) => object !== null)
      .map((object) => [
        `${object.metadata.namespace ?? namespace}, ${object.metadata.name}, ${object.kind} (${object.apiVersion})`,
        JSON.stringify(object, undefined, 2),
      ]),
  );
}

function lines(key: string, was: string, is: string, flags: ReadonlySet<string>): string {
  if (flags.has('--suppress-secrets') && key.endsWith('Secret (v1)')) {
    return '+ Changes suppressed on sensitive content of type Secret';
  }
  const [old, now] = [was.split('\n'), is.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ].join('\n');
}

process.exitCode = main(process.argv.slice(2));
