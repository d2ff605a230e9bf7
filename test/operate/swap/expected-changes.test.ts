import { unexpectedChanges, weightChanges } from '../../../lib/operate/swap';
import type { DeploymentMeaning, ProgramChange } from '../../../lib/operate/swap';

const cluster = 'aws:eks/cluster:Cluster';
const nodes = 'aws:eks/nodeGroup:NodeGroup';
const rule = 'aws:lb/listenerRule:ListenerRule';

const slots = { old: 'blue', new: 'green' };
const create: DeploymentMeaning = { phase: 'create', ...slots };
const shift: DeploymentMeaning = { phase: 'shift', ...slots };
const away: DeploymentMeaning = { phase: 'delete', ...slots };
const back: DeploymentMeaning = { phase: 'delete', ...slots, back: true };
const restore: DeploymentMeaning = { phase: 'drain', ...slots, back: true };

type Row = readonly [op: ProgramChange['op'], type: string, name: string, properties?: readonly string[]];

function changeOf([op, type, name, properties]: Row): ProgramChange {
  return { op, type, name, ...(properties && { properties }) };
}

test.each<[meaning: DeploymentMeaning, ...Row]>([
  [create, 'create', cluster, 'apps-green'],
  [create, 'create', 'AWS::EKS::Cluster', 'apps-green'],
  [create, 'create', nodes, 'apps-green-default'],
  [create, 'update', rule, 'apps'],
  [create, 'update', cluster, 'apps-blue', ['tags']],
  [create, 'update', nodes, 'apps-blue-default'],
  [create, 'replace', nodes, 'apps-green-default'],
  [create, 'delete', 'aws:ec2/tag:Tag', 'left-over'],
  [create, 'read', cluster, 'apps-blue'],
  [shift, 'update', rule, 'apps'],
  [shift, 'create', 'kubernetes:core/v1:Secret', 'apps-green'],
  [away, 'delete', cluster, 'apps-blue'],
  [away, 'delete', nodes, 'apps-blue-default'],
  [
    away,
    'delete',
    nodes,
    'urn:pulumi:green::talk-green::cluster-canary:fleet:ClusterFleet$aws:eks/nodeGroup:NodeGroup::apps-blue',
  ],
  [away, 'update', cluster, 'apps-green'],
  [away, 'delete', cluster, 'greenhouse-blue'],
  [back, 'delete', cluster, 'apps-green'],
  [restore, 'create', 'kubernetes:elbv2.k8s.aws/v1beta1:TargetGroupBinding', 'apps-blue-web'],
  [restore, 'replace', 'kubernetes:core/v1:Service', 'apps-blue-web'],
  [restore, 'update', nodes, 'apps-green-default'],
  // A program that does not say types.
  [create, 'create', '', ''],
  [create, 'update', '', ''],
  [shift, 'update', '', ''],
  [away, 'delete', '', ''],
  [away, 'delete', '', 'apps-blue'],
  [away, 'delete', '', 'access of blue to green'],
  [away, 'update', '', ''],
])('%o may %s %s %s', (meaning, ...row) => {
  expect(unexpectedChanges([changeOf(row)], meaning)).toEqual([]);
});

test.each<[meaning: DeploymentMeaning, problem: string, ...Row]>([
  [create, 'it belongs to blue, which has all traffic', 'delete', nodes, 'apps-blue-default'],
  [restore, 'no cluster is to be made or to go', 'create', cluster, 'apps-blue'],
  [restore, 'no cluster is to be made or to go', 'replace', cluster, 'apps-blue'],
  [restore, 'it belongs to green, which has all traffic', 'replace', nodes, 'apps-green-default'],
  [restore, 'only what is missing is to be made', 'delete', nodes, 'apps-blue-default'],
  [restore, 'nothing is to go yet', 'delete', '', ''],
  [create, 'it belongs to blue, which has all traffic', 'replace', cluster, 'apps-blue'],
  [
    create,
    'it belongs to blue, which has all traffic',
    'delete',
    'aws:iam/role:Role',
    'urn:pulumi:prod::infra::aws:iam/role:Role::apps_blue',
  ],
  [create, 'no cluster is to go yet', 'replace', cluster, 'apps-green'],
  [create, 'no cluster is to go yet', 'delete', 'eks:index:Cluster', 'other'],
  [create, 'it is not the cluster of green', 'create', cluster, 'apps-red'],
  [create, 'it is not the cluster of green', 'create', 'aws_eks_cluster', 'apps-evergreen'],
  [create, 'blue is to keep its version', 'update', cluster, 'apps-blue', ['tags', 'version']],
  [shift, 'no cluster is to be made or to go', 'create', cluster, 'apps-green'],
  [shift, 'no cluster is to be made or to go', 'delete', cluster, 'apps-blue'],
  [shift, 'no cluster is to be made or to go', 'replace', 'AWS::EKS::Cluster', 'Blue'],
  [away, 'it belongs to green, which has all traffic', 'delete', nodes, 'apps-green-default'],
  [away, 'it belongs to green, which has all traffic', 'replace', cluster, 'apps-green'],
  [away, 'it is not the cluster of blue', 'delete', cluster, 'apps-red'],
  [away, 'no cluster is to be made', 'create', cluster, 'apps-red'],
  [back, 'it belongs to blue, which has all traffic', 'delete', cluster, 'apps-blue'],
  [back, 'it is not the cluster of green', 'delete', cluster, 'other'],
  [create, 'nothing is to go yet', 'delete', '', ''],
  [create, 'nothing is to go yet', 'replace', '', ''],
  [shift, 'only weights are to change', 'create', '', ''],
  [shift, 'nothing is to go yet', 'delete', '', ''],
  [away, 'nothing is to be replaced', 'replace', '', ''],
  [away, 'it belongs to green, which has all traffic', 'delete', '', 'apps-green'],
  [away, 'it belongs to green, which has all traffic', 'delete', '', 'green'],
  [{ phase: 'soak', ...slots }, 'soak deploys nothing', 'update', rule, 'apps'],
])('%o: %s', (meaning, problem, ...row) => {
  const [found, ...others] = unexpectedChanges([changeOf(row)], meaning);
  expect(others).toEqual([]);
  expect(found).toContain(`: ${problem}.`);
});

/** Of the fleet `apps`, whose slots have the names of a fleet of hubs, too. */
const ofApps = { ...away, fleet: 'apps' };
const secret = 'kubernetes:core/v1:Secret';
const configMap = 'kubernetes:core/v1:ConfigMap';
const right = 'aws:eks/accessPolicyAssociation:AccessPolicyAssociation';

test.each<[meaning: DeploymentMeaning, problem: string | undefined, ...Row]>([
  [
    { ...ofApps, old: 'green', new: 'blue' },
    undefined,
    'delete',
    secret,
    'argocd-blue-gitops:argocd/apps-green',
  ],
  [{ ...ofApps, back: true }, undefined, 'delete', secret, 'argocd-blue-gitops:argocd/apps-green'],
  [ofApps, 'it belongs to green', 'delete', secret, 'argocd-blue-gitops:argocd/apps-green'],
  [ofApps, undefined, 'delete', secret, 'argocd-green-gitops:argocd/apps-blue'],
  [ofApps, 'it belongs to green', 'replace', nodes, 'apps-green-nodes'],
  // Of a fleet of hubs, whose swap takes the access to both clusters of `apps` along.
  [{ ...away, fleet: 'hub' }, undefined, 'delete', secret, 'argocd-blue-gitops:argocd/apps-green'],
  [{ ...away, fleet: 'hub' }, 'it belongs to green', 'delete', secret, 'argocd-green-gitops:argocd/apps'],
  [{ ...away, fleet: 'hub' }, 'it belongs to green', 'delete', cluster, 'blue-and-green'],
  // What the hub that stays has only beside the other one.
  [{ ...away, fleet: 'hub' }, undefined, 'delete', configMap, 'argocd-green-duty'],
  [{ ...away, fleet: 'hub' }, undefined, 'delete', configMap, 'argocd-green-duty-done'],
  [{ ...away, fleet: 'hub' }, undefined, 'delete', right, 'argocd-green-apps-green-view'],
  [{ ...away, fleet: 'hub' }, 'it belongs to green', 'replace', configMap, 'argocd-green-duty'],
  [{ ...away, fleet: 'hub' }, 'it belongs to green', 'delete', configMap, 'argocd-green-settings'],
  [{ ...away, fleet: 'hub' }, 'it belongs to green', 'delete', right, 'argocd-apps-green-writer'],
  [{ ...create, fleet: 'hub' }, 'it belongs to blue', 'delete', configMap, 'argocd-blue-duty'],
  // A fleet with the name of a slot.
  [{ ...away, fleet: 'green' }, undefined, 'delete', nodes, 'green-blue-nodes'],
  [{ ...away, fleet: 'green' }, 'it belongs to green', 'delete', nodes, 'green-green-nodes'],
  [
    { ...create, fleet: 'apps' },
    'it belongs to blue',
    'delete',
    secret,
    'argocd-green-gitops:argocd/apps-blue',
  ],
  [{ ...create, fleet: 'apps' }, undefined, 'delete', secret, 'argocd-blue-gitops:argocd/apps-green'],
])('with the name of the fleet, %o: %s', (meaning, problem, ...row) => {
  const found = unexpectedChanges([changeOf(row)], meaning);
  expect(found).toEqual(problem === undefined ? [] : [expect.stringContaining(`: ${problem}`)]);
});

test('beside the cluster that goes, one of another fleet does not go', () => {
  const changes = ['apps-blue', 'hub-blue'].map((name) => changeOf(['delete', cluster, name]));
  expect(unexpectedChanges(changes, ofApps)).toEqual([
    'delete would delete aws:eks/cluster:Cluster hub-blue: it is not the cluster of blue.',
  ]);
  expect(unexpectedChanges(changes.slice(1), ofApps)).toEqual([]);
});

test('all of what is not meant is said', () => {
  const changes = [changeOf(['delete', cluster, 'apps-blue']), changeOf(['create', cluster, 'apps-green'])];
  expect(unexpectedChanges(changes, shift)).toEqual([
    'shift would delete aws:eks/cluster:Cluster apps-blue: no cluster is to be made or to go.',
    'shift would create aws:eks/cluster:Cluster apps-green: no cluster is to be made or to go.',
  ]);
});

test.each<[old: string, fresh: string, name: string, isOld: boolean]>([
  ['green', 'green-2', 'apps-green-2', false],
  ['green', 'green-2', 'apps-green', true],
  ['green-2', 'green', 'apps-green-2', true],
  ['green-2', 'green', 'apps-green', false],
  ['a.b', 'c', 'apps-a.b-nodes', true],
  ['a.b', 'c', 'apps-axb-nodes', false],
])('of %s and %s, %s belongs to the first one: %s', (old, fresh, name, isOld) => {
  const problems = unexpectedChanges([changeOf(['delete', nodes, name])], {
    phase: 'create',
    old,
    new: fresh,
  });
  expect(problems).toHaveLength(isOld ? 1 : 0);
});

test.each([
  [rule, true],
  ['aws:lb/listener:Listener', true],
  ['aws:alb/listenerRule:ListenerRule', true],
  ['AWS::ElasticLoadBalancingV2::ListenerRule', true],
  ['aws:route53/record:Record', true],
  ['aws_route53_record', true],
  ['aws:vpclattice/listenerRule:ListenerRule', true],
  ['aws:vpclattice/listener:Listener', true],
  ['AWS::VpcLattice::Rule', true],
  ['aws:lb/listenerCertificate:ListenerCertificate', false],
  ['aws:lb/targetGroup:TargetGroup', false],
  ['aws:route53/zone:Zone', false],
  ['aws:cloudwatch/eventRule:EventRule', false],
  ['kubernetes:core/v1:ConfigMap', false],
])('%s holds weights: %s', (type, holds) => {
  const expected = holds
    ? [`A preview after the deployment would update ${type} apps, which holds weights.`]
    : [];
  expect(weightChanges([changeOf(['update', type, 'apps'])])).toEqual(expected);
});

test('what a preview only reads is no change', () => {
  expect(weightChanges([changeOf(['read', rule, 'apps']), changeOf(['other', rule, 'apps'])])).toEqual([]);
});
