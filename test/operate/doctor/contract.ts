import type { AccessRule, KubernetesReader, ObjectKind } from '../../../lib/core/kubernetes/api';
import { canReadPodLogs } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { DoctorCheck } from '../../../lib/operate/doctor';
import { groupOf } from '../../../lib/lint';
import { contextOf } from './checks-for-tests';

/** One call to an API server. */
interface Call {
  readonly verb: 'get' | 'list';
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** What every check has to be and to do, whatever it looks at; each line is something that is not so. */
export async function contractProblems(check: DoctorCheck, world: KubernetesReader): Promise<string[]> {
  const { name, title, layer } = check;
  const access = check.access('argocd');
  return [
    ...(/^[a-z]+(-[a-z]+)*$/.test(name) ? [] : ['name: not in kebab case']),
    ...(/^[a-zA-Z][^\n]*[^\s.]$/.test(title) ? [] : ['title: not one line without a full stop']),
    ...(['nodes', 'connections', 'applications'].includes(layer) ? [] : ['layer: not one of a finding']),
    ...access.flatMap(accessProblems),
    ...(await deniedProblems(check)),
    ...(await callProblems(check, world, access)),
  ];
}

function accessProblems({ apiGroups, resources, verbs }: AccessRule): string[] {
  const isWhole = [apiGroups, resources, verbs].every(({ length }) => length > 0);
  const onlyReads = verbs.every((verb) => ['get', 'list'].includes(verb));
  return isWhole && onlyReads ? [] : [`access: ${JSON.stringify({ apiGroups, resources, verbs })}`];
}

/** A server that denies everything is no reason to fail, nor to say that all is well. */
async function deniedProblems(check: DoctorCheck): Promise<string[]> {
  const deny = (what: string) => Promise.reject(new KubernetesError('denied', `may not ${what}`, 403));
  const api = {
    server: 'https://test',
    get: ({ kind }: ObjectKind) => deny(`get ${kind}`),
    list: ({ kind }: ObjectKind) => deny(`list ${kind}`),
    podLog: () => deny('get pods/log'),
  };
  try {
    const { notChecked, findings, sufficient } = await check.examine(contextOf(api));
    const isUnknown = notChecked.length > 0 && findings.length === 0 && sufficient !== true;
    return isUnknown ? [] : ['denied: not unknown'];
  } catch (error) {
    return [`denied: throws ${String(error)}`];
  }
}

/** What it reads is what it says that it reads, and all of that is read where there is something to look at. */
async function callProblems(
  check: DoctorCheck,
  world: KubernetesReader,
  access: readonly AccessRule[],
): Promise<string[]> {
  const calls: Call[] = [];
  await check.examine(contextOf(recording(world, calls)));
  const unstated = calls.filter((call) => !access.some((rule) => grants(rule, call)));
  const unused = access
    .flatMap((rule) =>
      rule.resources.flatMap((resource) => rule.verbs.map((verb) => ({ rule, resource, verb }))),
    )
    .filter(
      ({ rule, resource, verb }) =>
        !calls.some((call) => call.resource === resource && call.verb === verb && grants(rule, call)),
    )
    .map(({ resource, verb }) => `${verb} ${resource}`);
  return [
    ...unstated.map((call) => `reads what it does not state: ${JSON.stringify(call)}`),
    ...unused.map((right) => `states what it does not read: ${right}`),
  ];
}

function grants({ apiGroups, resources, verbs, resourceNames, namespace }: AccessRule, call: Call): boolean {
  return (
    apiGroups.includes(call.group) &&
    resources.includes(call.resource) &&
    verbs.includes(call.verb) &&
    (namespace === undefined || namespace === call.namespace) &&
    (resourceNames === undefined || resourceNames.includes(call.name ?? ''))
  );
}

/** A reader that notes what it is asked. */
function recording(world: KubernetesReader, calls: Call[]): KubernetesReader {
  const note = (verb: Call['verb'], { apiVersion, kind }: ObjectKind, name?: string, namespace?: string) => {
    const resource = `${kind.toLowerCase()}s`;
    calls.push({
      ...{ verb, resource, group: groupOf(apiVersion) },
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    });
  };
  const reader: KubernetesReader = {
    server: world.server,
    get: (reference, signal) => {
      note('get', reference, reference.metadata.name, reference.metadata.namespace);
      return world.get(reference, signal);
    },
    list: (kind, options) => {
      note('list', kind, undefined, options?.namespace);
      return world.list(kind, options);
    },
  };
  if (!canReadPodLogs(world)) {
    return reader;
  }
  return Object.assign(reader, {
    podLog: (options: Parameters<typeof world.podLog>[0]) => {
      calls.push({ verb: 'get', group: '', resource: 'pods/log', namespace: options.namespace });
      return world.podLog(options);
    },
  });
}
