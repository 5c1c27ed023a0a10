/** A Service with given addresses: as a person asks for them, and as the allocator leaves it. */

export interface ServiceWish {
  /** None: whichever the allocator gives. */
  readonly ips: readonly string[];
  readonly group?: string;
  readonly type?: 'local' | 'remote';
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export function familiesOf({ ips }: ServiceWish) {
  const ipFamilies = [...new Set(ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4')))];
  const ipFamilyPolicy = ipFamilies.length > 1 ? 'RequireDualStack' : 'SingleStack';
  return ipFamilies.length === 0 ? {} : { ipFamilies, ipFamilyPolicy };
}

/** What a person writes to get these very addresses, or any. */
export function requestFor({ ips, group = 'default', annotations = {} }: ServiceWish) {
  return {
    'purelb.io/service-group': group,
    ...(ips.length === 0 ? {} : { 'purelb.io/addresses': ips.join(',') }),
    ...annotations,
  };
}

/** What the allocator writes when it gives them. */
export function grantFor({ group = 'default', type = 'local', annotations = {} }: ServiceWish) {
  return {
    'purelb.io/allocated-by': 'PureLB',
    'purelb.io/allocated-from': group,
    'purelb.io/pool-type': type,
    ...annotations,
  };
}

/** What the allocator says of them in the status: its own record, which agents believe. */
export function conditionsFor({ ips, group = 'default' }: ServiceWish) {
  if (ips.length === 0) return [];
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
  const message = `${ips.join(', ')} from pool ${group}`;
  return [{ type: 'Allocated', status: 'True', reason: 'Allocated', message, lastTransitionTime }];
}
