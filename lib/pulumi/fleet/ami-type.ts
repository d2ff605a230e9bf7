/** What an instance type has beside its processors, as far as an AMI must have a driver for it. */
type Accelerator = 'none' | 'NVIDIA' | 'NEURON' | 'unknown';

/**
 * Families of instances whose driver is in an EKS AMI of Amazon Linux 2023.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
 */
const nvidia =
  'p6-b300 p6-b200 p5 p5e p5en p4d p4de p3 p3dn g7e gr6 g6 g6e g6f gr6f g5 g4dn p6e-gb200 p6e-gb300 g5g'.split(
    ' ',
  );

const neuron = 'inf1 inf2 trn1 trn2'.split(' ');

/**
 * Families with an accelerator of any kind: GPUs (g, gr, p), Inferentia, Trainium, Gaudi and Qualcomm (dl), FPGAs (f) and
 * video transcoders (vt).
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html
 */
const accelerated = /^(g|gr|cg|p|inf|trn|dl|f|vt)\d/;

/** Instances with NVIDIA's own arm64 processors. */
const grace = /^p6e-gb/;

/**
 * Whether an EC2 instance type has an arm64 processor: Graviton, whose `g` follows the generation, as in `m7g.large`, or
 * NVIDIA's Grace.
 *
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function isArm(instanceType: string): boolean {
  return /^[a-z]+\d+g/.test(instanceType) || instanceType.startsWith('a1.') || grace.test(instanceType);
}

/**
 * The Amazon Linux 2023 AMI type for instance types of one kind, with the driver of their accelerators.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 */
export function amiType(instanceTypes: readonly string[]): string {
  const architecture = instanceTypes.every(isArm) ? 'ARM_64' : 'x86_64';
  const [accelerator = 'none'] = instanceTypes.map(acceleratorOf);
  return `AL2023_${architecture}_${accelerator === 'NVIDIA' || accelerator === 'NEURON' ? accelerator : 'STANDARD'}`;
}

/** Why no AMI type can be chosen for instance types, if so: completes the sentence "… must be". */
export function noAmiType(instanceTypes: readonly string[]): string | undefined {
  if (new Set(instanceTypes.map(isArm)).size > 1) {
    return 'all x86-64 or all arm64 (Graviton): one node group has one AMI';
  }
  const accelerators = instanceTypes.map(acceleratorOf);
  const unknown = instanceTypes.filter((_, index) => accelerators[index] === 'unknown');
  if (unknown.length > 0) {
    return `types whose driver is in an AMI of EKS, or given with the amiType that their nodes are to have: which one has the driver of ${unknown.join(', ')} is not known`;
  }
  return new Set(accelerators).size > 1
    ? 'all without accelerators, all with NVIDIA GPUs, or all of Inferentia and Trainium: one node group has one AMI, which has one driver'
    : undefined;
}

function acceleratorOf(instanceType: string): Accelerator {
  const [family = ''] = instanceType.split('.');
  if (!accelerated.test(family)) {
    return 'none';
  }
  if (nvidia.includes(family)) {
    return 'NVIDIA';
  }
  return neuron.includes(family) ? 'NEURON' : 'unknown';
}

/** Whether an EKS AMI type is Bottlerocket. */
export function isBottlerocket(amiType: string): boolean {
  return amiType.startsWith('BOTTLEROCKET');
}
