/** Another linter. */
interface Peer {
  readonly name: string;
  readonly version: string;
  /** What it has of a rule, by id; of every other rule it has nothing. */
  readonly finds: Readonly<Record<string, string>>;
}

/**
 * What other linters have of the rules, read in their sources and lists of checks:
 *
 * - https://github.com/stackrox/kube-linter/blob/main/docs/generated/checks.md
 * - https://github.com/zegl/kube-score/blob/master/README_CHECKS.md
 * - https://github.com/FairwindsOps/polaris/tree/master/pkg/config/checks
 * - https://github.com/kubescape/regolibrary/tree/master/controls
 * - https://github.com/digitalocean/clusterlint/tree/master/checks/doks
 */
const peers: readonly Peer[] = [
  {
    name: 'kube-linter',
    version: '0.8.3',
    finds: {
      WH12: 'any workload: `dangling-service`, `pdb-max-unavailable`, `pdb-min-available`; if switched on, `minimum-three-replicas`, `no-readiness-probe`, `no-rolling-update-strategy`',
      TLS09: 'any Secret in a variable, if `read-secret-from-env-var` is switched on',
    },
  },
  {
    name: 'kube-score',
    version: '1.20',
    finds: {
      WH12: 'any workload: `service-targets-pod`, `deployment-has-poddisruptionbudget`, `pod-probes`',
    },
  },
  {
    name: 'polaris',
    version: '10.2',
    finds: {
      WH12: 'any workload: `deploymentMissingReplicas`, `missingPodDisruptionBudget`, `pdbDisruptionsIsZero`, `readinessProbeMissing`',
    },
  },
  {
    name: 'kubescape',
    version: '(controls at 18d6cd1)',
    finds: { WH12: 'any workload: C-0018, readiness probe' },
  },
  {
    name: 'clusterlint',
    version: '0.12',
    finds: {
      WH03: '`admission-controller-webhook`: Fail, and its own namespace too, whatever it is asked about',
      WH04: '`admission-controller-webhook-replacement`: kube-system too, whatever it is asked about',
      WH09: '`admission-controller-webhook-timeout`: 30 s',
    },
  },
];

/** The rules that find a chart whose certificates Argo CD makes anew at every render. */
const outage = ['TLS08', 'TLS07', 'GIT01', 'ALBC01'];

/** The section that compares the rules with other linters. */
export function peersSection(ids: readonly string[]): string[] {
  const known = new Set(ids);
  const named = peers.flatMap(({ finds }) => Object.keys(finds));
  const unknown = [...named, ...outage].filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new Error(`no such rule: ${unknown.join(', ')}`);
  }
  const covered = ids.filter((id) => named.includes(id));
  return [
    '## Other linters',
    '',
    'These rules prevent one outage above all. A chart makes its certificates in a template, and Argo CD renders it again. API',
    'servers then trust the new CA a minute before the pods serve its certificate, and every pod is refused. The cause is found',
    `by ${linked(outage)}; WH06, RT01 and RT03 find what makes the outage spread.`,
    '',
    'No other linter in this table finds that outage. The table lists the rules that another linter covers in part, according',
    'to its sources and its list of checks; the linters were not run. clusterlint checks live clusters only. kubescape lists',
    'webhook configurations for review (C-0036, C-0039). What other tools find and these rules do not:',
    '[neighbours.md](neighbours.md).',
    '',
    `| rule | ${peers.map(({ name, version }) => `${name} ${version}`).join(' | ')} |`,
    `|---|${peers.map(() => '---|').join('')}`,
    ...covered.map((id) => `| ${linked([id])} | ${peers.map(({ finds }) => finds[id] ?? '–').join(' | ')} |`),
    '',
  ];
}

function linked(ids: readonly string[]): string {
  return ids.map((id) => `[${id}](#${id.toLowerCase()})`).join(', ');
}
