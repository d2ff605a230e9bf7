import type { Problems } from '../problems';
import { checkLabels, wholeNumber } from '../problems';
import { isArm } from './ami-type';
import type { NodesArgs } from './node-group';
import { timeServersProblems } from './time-sync';

/** Adds what is wrong with a node group. */
export function checkNodes(problems: Problems, path: string, nodes: NodesArgs): void {
  if (!Array.isArray(nodes.instanceTypes) || nodes.instanceTypes.length === 0) {
    problems.add(`${path}.instanceTypes`, nodes.instanceTypes, 'at least one EC2 instance type');
  } else {
    if (new Set(nodes.instanceTypes.map(isArm)).size > 1 && nodes.amiType === undefined) {
      problems.add(
        `${path}.instanceTypes`,
        nodes.instanceTypes,
        'all x86-64 or all Graviton: one node group has one AMI',
      );
    }
    problems.addAll(timeServersProblems(nodes), path);
  }
  const whole = wholeNumber(0, 1000);
  const bounds =
    problems.check(`${path}.min`, nodes.min, whole) &&
    problems.check(`${path}.max`, nodes.max, wholeNumber(1, 1000));
  if (bounds && nodes.min > nodes.max) {
    problems.add(`${path}.min`, nodes.min, `at most max, ${nodes.max}`);
  }
  if (bounds && nodes.desired !== undefined) {
    problems.check(`${path}.desired`, nodes.desired, wholeNumber(nodes.min, nodes.max));
  }
  if (nodes.diskGiB !== undefined) {
    problems.check(`${path}.diskGiB`, nodes.diskGiB, wholeNumber(20, 16384));
  }
  checkLabels(problems, `${path}.labels`, nodes.labels);
}
