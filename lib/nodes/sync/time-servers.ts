import { isIP } from 'node:net';
import type { Rule } from '../../problems';
import { dnsSubdomain } from '../../problems';

/**
 * Amazon Time Sync: every EC2 instance reaches it, without a way into the Internet. Instances that have IPv6 alone take
 * `fd00:ec2::123`.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
 */
export const amazonTimeSync: readonly string[] = ['169.254.169.123'];

/** A list of NTP servers. */
export const timeServers: Rule = {
  allowed: 'a list of at least one address or host name of an NTP server, each once',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((each) => (typeof each === 'string' && isIP(each) !== 0) || dnsSubdomain.accepts(each)),
};
