/** What is shifted, as far as checks have to know it. */
export interface ShiftSubject {
  /** What the router's system can count: an NLB and DNS see no HTTP. */
  readonly layer: 'http' | 'connections' | 'names';
  /** The fleet's slots by name. */
  readonly slots: Readonly<Record<string, ShiftedSlot>>;
  /** ARN of the load balancer. @default - none, or not known */
  readonly loadBalancerArn?: string;
  /** AWS region of the load balancer and its metrics. @default - the credentials' own */
  readonly region?: string;
  /** ARN of an IAM role that every call to AWS is made with. @default - none */
  readonly roleArn?: string;
}

/** One slot, as far as checks have to know it. */
export interface ShiftedSlot {
  /**
   * ARN of the slot's target group.
   * @default - none: the router is not a load balancer
   */
  readonly targetGroupArn?: string;
  /** Name of the EKS cluster, which is its name in Argo CD, too. @default - not known */
  readonly clusterName?: string;
}
