/** Rights at AWS: a statement of an IAM policy that allows. */
export interface IamStatement {
  /** `cloudwatch:GetMetricData` */
  readonly actions: readonly string[];
  /** ARNs, or `*` where AWS takes nothing narrower for the action. */
  readonly resources: readonly string[];
}
