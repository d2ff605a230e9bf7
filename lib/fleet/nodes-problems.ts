import { iamRoleArn, securityGroupId, subnetId } from '../aws';
import { checkInput, checkInputs } from '../bridge';
import type { Problem } from '../problems';
import { checkLabels, oneOf, Problems, wholeNumber } from '../problems';
import { noAmiType } from './ami-type';
import type { NodesArgs } from './nodes-arguments';
import { timeServersProblems } from './time-sync';

/**
 * What a taint does, as EKS spells it, and not as Kubernetes does (`NoSchedule`).
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Taint.html
 */
const taintEffect = oneOf('NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE');

/** What is wrong with a node group. */
export function nodesProblems(nodes: NodesArgs): readonly Problem[] {
  const problems = new Problems('nodes');
  const { instanceTypes, min, max } = nodes;
  if (!Array.isArray(instanceTypes) || instanceTypes.length === 0) {
    problems.add('instanceTypes', instanceTypes, 'at least one EC2 instance type');
  } else {
    const without = nodes.amiType === undefined ? noAmiType(instanceTypes as string[]) : undefined;
    if (without !== undefined) {
      problems.add('instanceTypes', instanceTypes, without);
    }
    problems.addAll(timeServersProblems(nodes));
  }
  const whole = wholeNumber(0, 1000);
  const bounds = problems.check('min', min, whole) && problems.check('max', max, wholeNumber(1, 1000));
  if (bounds && min > max) {
    problems.add('min', min, `at most max, ${max}`);
  }
  if (bounds && nodes.desired !== undefined) {
    problems.check('desired', nodes.desired, wholeNumber(min, max));
  }
  problems.checkGiven('', nodes, {
    diskGiB: wholeNumber(20, 16384),
    capacityType: oneOf('ON_DEMAND', 'SPOT'),
  });
  nodes.taints?.forEach(({ effect }, index) =>
    checkInput(problems, `taints[${index}].effect`, effect, taintEffect),
  );
  checkLabels(problems, 'labels', nodes.labels);
  checkInputs(problems, 'subnetIds', nodes.subnetIds, subnetId);
  checkInputs(problems, 'securityGroupIds', nodes.securityGroupIds, securityGroupId);
  checkInput(problems, 'roleArn', nodes.roleArn, iamRoleArn);
  return problems.all;
}
