import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/** Networks that no public address lies in (the IANA registries of special-purpose addresses). */
const special: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  // Of IPv6 only 2000::/3 is public, and these parts of it lead elsewhere: tunnels, documentation.
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
/** A list apart for each family: a network of IPv6 would be asked about addresses of IPv4 too, in their mapped form. */
const notPublic = {
  ipv4: listOf(special.filter((network) => !isOf6(network))),
  ipv6: listOf(special.filter(isOf6)),
}

/** Names that the world's name servers are never asked for: they mean nothing, or this machine (RFC 6761). */
const unasked = /(?:^|\.)(?:example|invalid|test|localhost)\.?$/i

export class OutOfReach extends Error {
  override name = 'OutOfReach'
}

/** Which addresses webhooks may be sent to. */
export interface Reach {
  /** Whether any plain HTTP is allowed at all. */
  allowsPlain: boolean
  /** The addresses of a host; fails with OutOfReach where one of them may not be called, and with the resolver's own error. */
  addressesOf(host: string, secure: boolean): Promise<LookupAddress[]>
}

/** Public addresses over TLS, and whatever the settings allow besides. */
export function openReach(networks: readonly string[]): Reach {
  const allowed = listOf(networks)
  const mayCall = ({ address, family }: LookupAddress, secure: boolean) => {
    // An IPv4 address in the clothes of IPv6 is what it is underneath.
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
