import { swapAccess, swapPermissions, swapRoles, swapWavesPermissions } from '../../../lib/operate/swap';
import { readSwap } from '../../../lib/operate/swap/file';
import { fullSwap, leastSwap } from './file/swap-files';

const edge = 'arn:aws:iam::999999999999:role/edge';
const rule =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee';
const byEdge = fullSwap.replace(/( +)ruleArn: .*/, `$&\n$1roleArn: ${edge}`);

const statements = (text: string, role?: string) =>
  swapPermissions(readSwap(text, 'swap.yaml'), 'eu-west-1', role);
const sidsOf = (text: string, role?: string) => statements(text, role).map(({ Sid }) => Sid);
const actionsOf = (text: string, sid: string, role?: string) =>
  statements(text, role).find(({ Sid }) => Sid === sid)?.Action;

test('the route of an account of its own is read by its role, which the swap takes on', () => {
  expect(swapRoles(readSwap(byEdge, 'swap.yaml'))).toEqual([edge]);
  expect(statements(byEdge).find(({ Sid }) => Sid === 'TakeOnRoles')).toEqual({
    ...{ Sid: 'TakeOnRoles', Effect: 'Allow', Resource: [edge] },
    Action: ['sts:AssumeRole', 'sts:TagSession'],
  });
  const own = sidsOf(byEdge);
  const ofRole = sidsOf(byEdge, edge);
  expect(ofRole).toContain('CountTargets');
  expect(own.filter((sid) => ofRole.includes(sid))).toEqual([]);
  expect(statements(byEdge, edge).flatMap(({ Action }) => Action)).not.toContain(
    'elasticloadbalancing:ModifyRule',
  );
  expect(sidsOf(fullSwap)).toEqual(expect.arrayContaining(ofRole));
});

test('it writes the rule where the swap moves the traffic itself', () => {
  const moves = byEdge.replace('shift: {', 'shift: { plan: plan.json,');
  const writes = statements(moves, edge).filter(({ Action }) =>
    Action.includes('elasticloadbalancing:ModifyRule'),
  );
  expect(writes.map(({ Resource }) => Resource)).toEqual([[rule]]);
});

test('what controllers left behind is deleted by the tags of the fleet’s clusters', () => {
  const sweeps = statements(leastSwap).filter(({ Sid }) => Sid.startsWith('SweepLeftovers'));
  expect(sweeps.map(({ Condition }) => Condition)).toEqual(
    [
      { 'elbv2.k8s.aws/cluster': ['apps-blue', 'apps-green'] },
      { 'eks:eks-cluster-name': ['apps-blue', 'apps-green'] },
      { 'kubernetes.io/cluster/apps-blue': ['owned'] },
      { 'cluster.k8s.amazonaws.com/name': ['apps-blue', 'apps-green'] },
      { 'ebs.csi.aws.com/cluster-name': ['apps-blue', 'apps-green'] },
      { 'kubernetes.io/cluster/apps-green': ['owned'] },
    ].map((tag) => {
      const [key, values] = Object.entries(tag)[0]!;
      return { StringEquals: { [`aws:ResourceTag/${key}`]: values } };
    }),
  );
  // A rule that names a group of the cluster's may be in a group of somebody else's.
  const deletes = statements(leastSwap).filter(({ Action }) =>
    Action.some((action) => /:(?:Delete(?:LoadB|Tar|Vol|Net|Sec)|Terminate)/.test(action)),
  );
  expect(deletes).toEqual(sweeps);
  expect(actionsOf(leastSwap, 'WithdrawRules')).toEqual([
    'ec2:RevokeSecurityGroupIngress',
    'ec2:RevokeSecurityGroupEgress',
  ]);
});

test('fleets of one file have the tags of each in one statement', () => {
  const swaps = ['apps', 'web'].map((fleet) => ({
    swap: readSwap(leastSwap.replace('fleet: apps', `fleet: ${fleet}`), 'swap.yaml'),
    region: 'eu-west-1',
  }));
  const sweeps = swapWavesPermissions(swaps).filter(({ Sid }) => Sid.startsWith('SweepLeftovers'));
  expect(sweeps.map(({ Condition }) => Condition)).toContainEqual({
    StringEquals: {
      'aws:ResourceTag/elbv2.k8s.aws/cluster': ['apps-blue', 'apps-green', 'web-blue', 'web-green'],
    },
  });
  expect(sweeps).toHaveLength(8);
});

test('volumes are deleted where the file says so', () => {
  const sweeps = leastSwap.replace('phases:\n', 'phases:\n  drain: { volumes: delete }\n');
  expect(actionsOf(leastSwap, 'SweepLeftovers')).not.toContain('ec2:DeleteVolume');
  expect(actionsOf(sweeps, 'SweepLeftovers')).toContain('ec2:DeleteVolume');
});

test('a cluster is named once, though checks name it by its context', () => {
  const text = leastSwap.replace('argoApplications: {}', 'clusterVitals: {}');
  const clusters = swapAccess(readSwap(text, 'swap.yaml'), 'eu-west-1').map(({ cluster }) => cluster);
  expect(clusters).toEqual([{ clusterName: 'apps-blue' }, { clusterName: 'apps-green' }]);
});
