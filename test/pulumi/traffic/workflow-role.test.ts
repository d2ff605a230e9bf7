import * as pulumi from '@pulumi/pulumi';
import { parse } from 'yaml';
import { shiftWorkflowRole } from '../../../lib/pulumi/traffic';
import { parsePlan, shiftPermissions } from '../../../lib/shift/plan-file';
import { plainPlan } from '../../shift/plan-file/plans';
import { register } from '../../pulumi-mocks';

const args = {
  clusterName: 'hub',
  clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/hub',
  serviceAccount: { namespace: 'shifts', name: 'apps-web' },
};
const plan = parse(plainPlan);

test('the role has the rights of the plan, and no others, for one service account of one cluster', async () => {
  const registered = await register(() => shiftWorkflowRole('shift', { ...args, plan }));
  const policy = JSON.parse(registered.one('aws:iam/rolePolicy:RolePolicy').inputs.policy);
  expect(policy).toEqual({
    Version: '2012-10-17',
    Statement: shiftPermissions(parsePlan(plainPlan, 'plan.yaml')),
  });
  const trust = JSON.parse(registered.one('aws:iam/role:Role').inputs.assumeRolePolicy);
  expect(trust.Statement[0].Condition.StringEquals).toEqual({
    'aws:RequestTag/eks-cluster-arn': args.clusterArn,
    'aws:RequestTag/kubernetes-namespace': ['shifts'],
    'aws:RequestTag/kubernetes-service-account': ['apps-web'],
  });
  expect(registered.one('aws:eks/podIdentityAssociation:PodIdentityAssociation').inputs).toMatchObject({
    namespace: 'shifts',
    serviceAccount: 'apps-web',
  });
});

test('a plan with a problem, and one whose rights fit no policy, are refused before anything is registered', async () => {
  const { router, slots, weights } = plan;
  const many = (count: number) => ({
    weights,
    routes: Object.fromEntries(
      Array.from({ length: count }, (_, index) => {
        const ruleArn = router.albRule.ruleArn.replace(/.$/, '') + (index % 10) + index;
        return [`route-${index}`, { router: { albRule: { ruleArn } }, slots }];
      }),
    ),
  });
  const registered = await register(() => {
    expect(() => shiftWorkflowRole('bad', { ...args, plan: { ...plan, weights: { blue: 1 } } })).toThrow(
      /weights/,
    );
    const wrong = { ...args, clusterName: 7, plan: { ...plan, weights: { blue: 101 } }, serviceAcount: {} };
    expect(() => shiftWorkflowRole('bad', wrong as never)).toThrow(
      /"bad": \d problems[^]*serviceAcount: unknown key, did you mean "serviceAccount"[^]*clusterName: 7[^]*plan\.weights\.blue: 101/,
    );
    const later = {
      ...args,
      plan: { ...plan, shift: { checks: [{ targetHealth: { min: pulumi.output(1) } }] } },
    };
    expect(() => shiftWorkflowRole('bad', later as never)).toThrow(
      /plan\.shift\.checks\[0\]\.targetHealth\.min: an Output, known only during a deployment/,
    );
    expect(() => shiftWorkflowRole('long', { ...args, plan: many(100) })).toThrow(/fit the 10240 characters/);
    expect(() => shiftWorkflowRole('short', { ...args, plan: many(20) })).not.toThrow();
  });
  expect(registered.ofType('cluster-canary:addons:PodIdentityRole').map(({ name }) => name)).toEqual([
    'short',
  ]);
});
