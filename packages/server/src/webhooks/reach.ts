import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { BlockList, isIP } from 'node:net'

/** Networks without public addresses (IANA registries of special-purpose addresses). */
const special: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  // Only 2000::/3 of IPv6 is public, without these parts for tunnels and documentation.
  ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}
const isOf6 = (network: string) => network.includes(':')
/** Separate lists per family: an IPv6 network would also be checked for mapped IPv4 addresses. */
const notPublic = {
  ipv4: listOf(special.filter((network) => !isOf6(network))),
  ipv6: listOf(special.filter(isOf6)),
}

/** Names that are never looked up in public DNS: they are meaningless or this machine (RFC 6761). */
const unasked = /(?:^|\.)(?:example|invalid|test|localhost)\.?$/i

export class OutOfReach extends Error {
  override name = 'OutOfReach'
}

/** The addresses to which webhooks, and other calls to servers that a client names, may be sent. */
export interface Reach {
  /** Whether plain HTTP is allowed at all. */
  allowsPlain: boolean
  /** The addresses of a host; fails with OutOfReach if one of them is not allowed, or with the resolver's error. */
  addressesOf(host: string, secure: boolean): Promise<LookupAddress[]>
}

/** Allows public addresses over TLS, and the further networks in the settings. */
export function openReach(networks: readonly string[]): Reach {
  const allowed = listOf(networks)
  const mayCall = ({ address, family }: LookupAddress, secure: boolean) => {
    // An IPv4-mapped IPv6 address is checked as IPv4.
    const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
    const [bare, kind] = mapped
      ? [mapped, 'ipv4' as const]
      : [address, family === 6 ? ('ipv6' as const) : ('ipv4' as const)]
    return allowed.check(bare, kind) || (secure && !notPublic[kind].check(bare, kind))
  }
  return {
    allowsPlain: networks.length > 0,
    addressesOf: async (host, secure) => {
      const bare = host.replace(/^\[(.*)\]$/, '$1')
      const known = isIP(bare) ? [{ address: bare, family: isIP(bare) }] : undefined
      const local = /(?:^|\.)localhost\.?$/i.test(bare)
      if (!known && !local && unasked.test(bare))
        throw Object.assign(new Error(`no such host: ${bare}`), { code: 'ENOTFOUND' })
      const addresses = known ?? (local ? [{ address: '127.0.0.1', family: 4 }] : await lookup(bare, { all: true }))
      if (!addresses.every((one) => mayCall(one, secure))) throw new OutOfReach('The address is not public.')
      return addresses
    },
  }
}

/** Looks up a host when a connection is made, so that exactly the checked address is called. */
export const lookupWithin =
  (reach: Reach, secure: boolean): LookupFunction =>
  (host, { all }, answer) => {
    reach.addressesOf(host, secure).then(
      (addresses) => (all ? answer(null, addresses) : answer(null, addresses[0]!.address, addresses[0]!.family)),
      (error: unknown) => answer(error as NodeJS.ErrnoException, ''),
    )
  }
