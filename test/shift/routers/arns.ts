/** ARNs of an account that there is not. */
const account = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';

export const ruleArn = `${account}:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee`;
export const albListenerArn = `${account}:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;
export const nlbListenerArn = `${account}:listener/net/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;

/** ARN of a target group by a number. */
export const groupArn = (number: number) =>
  `${account}:targetgroup/group-${number}/${number.toString(16).padStart(16, '0')}`;

export const blueArn = groupArn(1);
export const greenArn = groupArn(2);
export const targetGroupArns = { blue: blueArn, green: greenArn };
