/**
 * Whether an EC2 instance type has a Graviton (arm64) processor: a `g` follows the generation, as in `m7g.large`.
 *
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function isArm(instanceType: string): boolean {
  return /^[a-z]+\d+g/.test(instanceType) || instanceType.startsWith('a1.');
}

/**
 * The Amazon Linux 2023 AMI type for instance types of one architecture.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 */
export function amiType(instanceTypes: readonly string[]): string {
  return instanceTypes.every(isArm) ? 'AL2023_ARM_64_STANDARD' : 'AL2023_x86_64_STANDARD';
}
