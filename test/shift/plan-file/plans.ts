/** Parts of plan files for tests. */

const elb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
export const ruleArn = `${elb}:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee`;
export const blueArn = `${elb}:targetgroup/apps-blue/73e2d6bc24d8a067`;
export const greenArn = `${elb}:targetgroup/apps-green/73e2d6bc24d8a068`;

/** A plan for one rule of an ALB. */
export const plainPlan = `router:
  albRule:
    ruleArn: ${ruleArn}
slots:
  blue: { targetGroupArn: ${blueArn}, clusterName: apps-blue }
  green: { targetGroupArn: ${greenArn}, clusterName: apps-green }
weights: { blue: 0, green: 100 }
shift:
  step: 10
  every: 2m
  bake: 10m
  checks:
    - cloudWatch.errorShare: { max: 0.01, minRequests: 200 }
  onFailure: rollback
`;

/** A plan for three simulated routers in two waves. */
export const wavesPlan = `routes:
  eu: { router: { simulated: {} }, slots: &slots { blue: {}, green: {} } }
  us: { router: { simulated: {} }, slots: *slots }
  ap: { router: { simulated: {} }, slots: *slots }
waves: [[eu], [us, ap]]
weights: { green: 100 }
`;
