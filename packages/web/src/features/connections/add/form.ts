import { BrokerSettings, ConnectionName, DownlinkSettings, GenericPaths } from '@caretaker/contract/connections.ts'
import type { Connection, ConnectionSettings } from '@caretaker/contract/connections.ts'
import type { ConnectionTransport } from '@caretaker/rules/connections/connections.ts'
import { connectionTransports } from '@caretaker/rules/connections/connections.ts'
import { fillTopic, matchesFilter } from '@caretaker/rules/connectors/downlink-templates.ts'
import { downlinkNeeds, echoText } from '@caretaker/rules/connectors/downlinks.ts'
import type { DownlinkNeeds } from '@caretaker/rules/connectors/downlinks.ts'
import type { ConnectionKind } from '@caretaker/rules/connectors/types.ts'
import { connectionKindNames } from '@caretaker/rules/connectors/types.ts'
import { z } from '../../../ui/zod.ts'

const pathFields = ['deviceKey', 'time', 'values', 'items', 'sensorName', 'maker', 'model', 'sequence'] as const
const brokerFields = ['url', 'topic', 'user', 'password', 'authority', 'certificate', 'privateKey'] as const
/** Where set points are sent. */
const downlinkFields = ['downlinkUrl', 'downlinkToken', 'downlinkTopic', 'downlinkTemplate'] as const
const fields = [...pathFields, ...brokerFields, ...downlinkFields] as const
type TextName = 'name' | (typeof fields)[number]

/** All fields of the form in one level, so that each has its own error. */
export type ConnectionForm = Record<TextName, string> & { kind: string; transport: string }

type Settings = z.output<typeof ConnectionSettings>
export interface NewSettings extends Settings {
  kind: ConnectionKind
  transport: ConnectionTransport
}

/** The form has another field name for a sensor's name, because the connection has a name too. */
const partOf = (field: (typeof pathFields)[number]) => (field === 'sensorName' ? 'name' : field)
const pathShapes = GenericPaths.shape
const brokerShapes = BrokerSettings.shape

const filled = (values: Record<string, string>, fields: readonly string[]) =>
  Object.fromEntries(fields.flatMap((field) => (values[field]?.trim() ? [[field, values[field].trim()]] : [])))

type DownlinkField = (typeof downlinkFields)[number]
const settings = {
  downlinkUrl: 'url',
  downlinkToken: 'token',
  downlinkTopic: 'topic',
  downlinkTemplate: 'template',
} as const
const settingOf = (field: DownlinkField) => settings[field]
const downlinkFieldsOf = ({ url, topic, template }: DownlinkNeeds): DownlinkField[] => [
  ...(url ? (['downlinkUrl', 'downlinkToken'] as const) : []),
  ...(topic ? (['downlinkTopic'] as const) : []),
  ...(template ? (['downlinkTemplate'] as const) : []),
]

const text = z.string()
const Fields = z.object({
  ...{ kind: z.enum(connectionKindNames), transport: z.enum(connectionTransports), name: ConnectionName },
  ...(Object.fromEntries(fields.map((field) => [field, text])) as Record<Exclude<TextName, 'name'>, typeof text>),
})

/** Validates what the kind and the transport need, and leaves out the rest. */
const Checked = Fields.superRefine((values, context) => {
  const check = (field: string, shape: z.ZodType, value: string | undefined) => {
    const fault = shape.safeParse(value).error?.issues[0]?.message
    if (fault) context.addIssue({ code: 'custom', path: [field], message: fault })
  }
  if (values.kind === 'generic-json') {
    check('deviceKey', pathShapes.deviceKey, values.deviceKey.trim())
    for (const field of pathFields)
      if (field !== 'deviceKey' && values[field].trim()) check(field, pathShapes[partOf(field)], values[field].trim())
  }
  const needs = downlinkNeeds(values.kind, values.transport)
  const downlink = filled(values, downlinkFieldsOf(needs))
  for (const [field, value] of Object.entries(downlink))
    check(field, DownlinkSettings.shape[settingOf(field as DownlinkField)], value)
  const target = needs.topic ? 'downlinkTopic' : 'downlinkUrl'
  if (Object.keys(downlink).length && !downlink[target])
    context.addIssue({
      ...{ code: 'custom', path: [target] },
      message: needs.topic ? 'Enter the topic for set points' : 'Enter the address for set points',
    })
  const example = downlink['downlinkTopic'] && fillTopic(downlink['downlinkTopic'], 'sensor')
  if (example && matchesFilter(example, values.topic.trim()))
    context.addIssue({ code: 'custom', path: ['downlinkTopic'], message: echoText })
  if (values.transport !== 'mqtt') return
  check('url', brokerShapes.url, values.url.trim())
  check('topic', brokerShapes.topic, values.topic.trim())
  for (const field of brokerFields) if (values[field]) check(field, brokerShapes[field], values[field].trim())
  if (!values.certificate.trim() !== !values.privateKey.trim())
    context.addIssue({
      code: 'custom',
      path: [values.certificate.trim() ? 'privateKey' : 'certificate'],
      message: 'A certificate and its private key belong together',
    })
}).transform(({ kind, transport, name, ...values }): NewSettings => {
  const paths = Object.fromEntries(
    Object.entries(filled(values, pathFields)).map(([field, value]) => [partOf(field as never), value]),
  )
  return {
    ...{ kind, transport, name },
    ...(kind === 'generic-json' && { paths: paths as NonNullable<Settings['paths']> }),
    ...downlinkIn(values, downlinkNeeds(kind, transport)),
    ...(transport === 'mqtt' && { broker: filled(values, brokerFields) as NonNullable<Settings['broker']> }),
  }
})

/** If there is no address or topic, no downlinks are sent. */
function downlinkIn(values: Record<DownlinkField, string>, needs: DownlinkNeeds): Pick<Settings, 'downlink'> {
  const fields = downlinkFieldsOf(needs)
  if (!fields.length) return {}
  const downlink = Object.entries(filled(values, fields)).map(([field, value]) => [
    settingOf(field as DownlinkField),
    value,
  ])
  return { downlink: downlink.length ? (Object.fromEntries(downlink) as Settings['downlink']) : null }
}

export const ConnectionFormShape = Checked as unknown as z.ZodType<NewSettings, ConnectionForm>

const emptyForm = Object.fromEntries(fields.map((field) => [field, ''])) as Record<Exclude<TextName, 'name'>, string>

/** The transport that people usually choose for a kind. */
export const usualTransport = (kind: string): ConnectionTransport => (kind === 'zigbee2mqtt' ? 'mqtt' : 'webhook')

/** The topic with the messages of all sensors. */
export const usualTopic: Partial<Record<string, string>> = {
  chirpstack: 'application/+/device/+/event/+',
  'the-things-stack': 'v3/+/devices/+/#',
  zigbee2mqtt: 'zigbee2mqtt/#',
}

/** The initial values: a connection's values, without its secrets. */
export function formOf(connection: Connection | undefined): ConnectionForm {
  const { name: sensorName = '', ...paths } = connection?.paths ?? {}
  return {
    ...emptyForm,
    ...{ kind: connection?.kind ?? 'chirpstack', transport: connection?.transport ?? 'webhook' },
    ...{ name: connection?.name ?? '', ...paths, sensorName },
    downlinkUrl: connection?.downlink?.url ?? '',
    downlinkTopic: connection?.downlink?.topic ?? '',
    downlinkTemplate: connection?.downlink?.template ?? '',
    topic: connection ? '' : (usualTopic.chirpstack ?? ''),
    ...(connection?.broker && {
      ...{ url: connection.broker.url, topic: connection.broker.topic, user: connection.broker.user ?? '' },
    }),
  }
}
