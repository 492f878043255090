import type { Connection } from '@caretaker/contract/connections.ts'
import type { ConnectionTransport } from '@caretaker/rules/connections/connections.ts'
import type { ConnectionKind } from '@caretaker/rules/connectors/types.ts'
import { connectionKinds } from '@caretaker/rules/connectors/types.ts'

export const transportWords: Record<ConnectionTransport, string> = { webhook: 'HTTP webhook', mqtt: 'MQTT client' }

/** The versions whose messages are understood. */
const versions: Partial<Record<ConnectionKind, string>> = { chirpstack: 'Version 4', 'the-things-stack': 'Version 3' }

/** The description below the name of a connection type. */
export const kindHints: Record<ConnectionKind, string> = {
  chirpstack: `${versions.chirpstack}, LoRaWAN`,
  'the-things-stack': `${versions['the-things-stack']}, LoRaWAN`,
  zigbee2mqtt: 'Zigbee',
  'generic-json': 'Your own paths, webhook or MQTT',
}

/** 'ChirpStack, HTTP webhook'. */
export const kindText = ({ kind, transport }: Pick<Connection, 'kind' | 'transport'>) =>
  `${connectionKinds[kind].name}, ${transportWords[transport]}`

/** '1 sensor', '2 sensors'. */
export const countText = (count: number, noun: string) =>
  `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`

/** The values of a sensor in one line: '19.4 °C · 61 %', with the label where there is no unit. */
export function valuesText(
  values: readonly { label: string; unit: string; value: number | string | boolean }[],
  most = 3,
): string {
  const shown = values
    .slice(0, most)
    .map((one) => (one.unit ? `${shortLabel(one)}${valueText(one)}` : `${one.label} ${valueText(one)}`))
  const more = values.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' · ')
}

/** Units that several metrics share need the label. */
const shortLabel = ({ label, unit }: { label: string; unit: string }) =>
  ['°C', 'lx'].includes(unit) ? '' : `${label} `

export const valueText = ({ value, unit = '' }: { value: number | string | boolean; unit?: string }): string =>
  [typeof value === 'number' ? numberText(value) : String(value), unit].filter(Boolean).join(' ')

const numbers = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 6 })
export const numberText = (value: number) => numbers.format(value)
