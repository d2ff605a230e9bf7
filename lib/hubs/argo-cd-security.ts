import type { HelmValues } from '../addons';
import { Problems, dnsSubdomain, oneOf } from '../problems';
import type { ArgoCdSso } from './argo-cd-sso';
import { ssoConfig, ssoProblems } from './argo-cd-sso';

/** Who gets into Argo CD, and what its parts may do. */
export interface ArgoCdAccess {
  /** Host under which Argo CD is reached, `argocd.example.com`. @default - the chart's example; needed by `sso` */
  readonly domain?: string;
  /** How people log in. @default - nobody does; whoever may write Argo CD's objects uses the Kubernetes API */
  readonly sso?: ArgoCdSso;
  /** What members of groups may do, by the group's name at the provider. @default - nothing, for everybody */
  readonly groups?: Readonly<Record<string, 'admin' | 'readonly'>>;
  /** Further lines of Argo CD's policy. @default - none */
  readonly policies?: readonly string[];
  /**
   * Whether the user `admin` with its password may log in.
   * @default false - one password that many know, with every right and no name
   */
  readonly admin?: boolean;
  /**
   * Whether Argo CD may do everything in the cluster that it runs in. It is not needed to deploy to it as a managed cluster,
   * where it logs in with its role.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/installation/
   * @default false - rights in its own namespace only
   */
  readonly ownCluster?: boolean;
}

const policy = {
  allowed: 'a line of Argo CD\'s policy, such as "p, role:deployer, applications, sync, apps/*, allow"',
  accepts: (value: unknown) => typeof value === 'string' && /^[pg]\s*,\s*\S[^\n]*$/.test(value),
};

/** What is wrong with access settings. */
export function accessProblems(access: ArgoCdAccess): Problems['all'] {
  const problems = new Problems('access');
  const { domain, sso, groups = {}, policies = [] } = access;
  if (domain !== undefined) {
    problems.check('domain', domain, dnsSubdomain);
  }
  if (sso) {
    problems.addAll(ssoProblems(sso), 'sso');
    if (domain === undefined) {
      problems.add('domain', undefined, 'given: the provider sends people back to it');
    }
  }
  for (const [group, role] of Object.entries(groups)) {
    problems.check(`groups.${group}`, role, oneOf('admin', 'readonly'));
    if (!/^[^"\n]+$/.test(group)) {
      problems.add('groups', group, 'the name of a group, without quotes and line breaks');
    }
  }
  policies.forEach((line, position) => problems.check(`policies[${position}]`, line, policy));
  return problems.all;
}

/**
 * The chart's values that close what is open: no user `admin`, no right without a policy, no terminal in pods, TLS on the
 * server, network policies, a repo-server without a token of Kubernetes, and rights in Argo CD's own namespace alone.
 *
 * The repo-server runs what repositories hold (charts, Kustomize, plugins) and asks nothing of an API server, so a token is of
 * use to nobody but an intruder.
 * @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/values.yaml
 */
export function accessValues(access: ArgoCdAccess): HelmValues {
  const { domain, sso, groups = {}, policies = [], admin = false, ownCluster = false } = access;
  const lines = [
    ...policies,
    ...Object.entries(groups).map(([group, role]) => `g, "${group}", role:${role}`),
  ];
  return {
    global: { ...(domain === undefined ? {} : { domain }), networkPolicy: { create: true } },
    createClusterRoles: ownCluster,
    configs: {
      cm: { 'admin.enabled': admin, 'exec.enabled': false, ...(sso ? ssoConfig(sso) : {}) },
      params: { 'server.insecure': false },
      rbac: { 'policy.default': '', 'policy.csv': lines.map((line) => `${line}\n`).join('') },
    },
    dex: { enabled: sso?.dex !== undefined },
    repoServer: {
      automountServiceAccountToken: false,
      serviceAccount: { automountServiceAccountToken: false },
      clusterRoleRules: { enabled: false },
    },
  };
}
