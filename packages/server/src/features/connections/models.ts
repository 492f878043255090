import { isDeepStrictEqual } from 'node:util'
import type {
  CodecTrial,
  CodecVersion,
  MappingRow,
  SensorMapping,
  SensorModel,
  TriedMessage,
} from '@caretaker/contract/connections.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { sensorsPerPage, storedAtOnce } from '@caretaker/rules/connections/connections.ts'
import type { DecodedValue, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { faultsOfMapping } from '@caretaker/rules/connectors/mapping.ts'
import { suggestMapping } from '@caretaker/rules/connectors/suggestions.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { RunCodec } from '../../connectors/decode.ts'
import { codecName, decodeMessage } from '../../connectors/decode.ts'
import { writeMessageResults, waitingMessages } from '../../connectors/messages.ts'
import { holdSensors, sensorsById, setActiveCodec } from '../../connectors/sensors.ts'
import { openSensorSeries, storeDecodedMessages } from '../../connectors/store-decoded.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { endOf } from './store.ts'
import type { ModelRow } from './model-store.ts'
import * as store from './model-store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}
type Values = Record<string, DecodedValue>

const subjectOf = ({ id, maker, model }: Pick<ModelRow, 'id' | 'maker' | 'model'>) =>
  ({ type: 'sensor model', id, name: [maker, model].filter(Boolean).join(' ') }) as const

export async function sensorModels(tx: TenantTx): Promise<SensorModel[]> {
  return (await store.modelRows(tx)).map(shown)
}

async function expectModel(tx: TenantTx, id: string, hold?: 'hold'): Promise<ModelRow> {
  if (hold) await store.holdModel(tx, id)
  const [row] = await store.modelRows(tx, id)
  if (!row) throw refuse('not found')
  return row
}

function shown(row: ModelRow): SensorModel {
  const rows = row.mapping ?? suggestMapping([{ values: row.last_values ?? {} }], row.last_units ?? {})
  const used = new Set(rows.flatMap(({ path, to }) => (to === 'unused' ? [] : [path])))
  return {
    ...{ id: row.id, maker: row.maker, model: row.model, sensors: row.sensors, newSensors: row.new_sensors },
    ...{ connections: row.connections, mapped: used.size },
    unused: Object.keys(row.last_values ?? {}).filter((path) => !used.has(path)).length,
    decoder: row.active_codec === null ? row.decoder : codecName(row.active_codec),
    ...{ activeCodec: row.active_codec, notDecoded: row.not_decoded },
    lastMessageAt: row.last_message_at?.toISOString() ?? null,
  }
}

/** A page of the sensors of a model. */
export async function modelSensors(tx: TenantTx, id: string, after: string | undefined) {
  await expectModel(tx, id)
  const rows = await store.sensorRowsOfModel(tx, id, after, sensorsPerPage + 1)
  const page = rows.slice(0, sensorsPerPage)
  return {
    results: page.map((row) => ({
      ...{ id: row.id, connectionId: row.connection_id, connectionName: row.connection_name },
      ...{ deviceKey: row.device_key, name: row.name, messages: row.messages, isIgnored: row.is_ignored },
      device:
        row.device_id === null
          ? null
          : { deviceId: row.device_id, name: row.device_name!, property: row.property_reference },
      lastMessageAt: row.last_message_at?.toISOString() ?? null,
    })),
    next: rows.length > sensorsPerPage ? page.at(-1)!.id : null,
  }
}

export async function mapping(tx: TenantTx, id: string): Promise<SensorMapping> {
  return mappingOf(tx, await expectModel(tx, id))
}

async function mappingOf(tx: TenantTx, model: ModelRow): Promise<SensorMapping> {
  const [newest] = await store.mappingRows(tx, model.id, 1)
  const last = await store.lastDecoded(tx, model.id)
  const values: Values = Object.assign({}, model.last_values, ...(last?.decoded.samples.map((one) => one.values) ?? []))
  const suggestions = suggestMapping([{ values }], last?.decoded.units)
  const saved = newest?.rows ?? []
  const known = new Set(saved.map(({ path }) => path))
  return {
    ...{ model: shown(model), version: newest?.version ?? 0 },
    ...{ savedAt: newest?.saved_at.toISOString() ?? null, savedBy: newest?.saved_by ?? null },
    // Paths first seen after the mapping was saved are unused until a user maps them.
    rows: newest
      ? [...saved, ...suggestions.flatMap(({ path }) => (known.has(path) ? [] : [{ path, to: 'unused' as const }]))]
      : suggestions,
    suggestions,
    lastMessage: last && {
      ...{ at: last.received_at.toISOString(), deviceKey: last.device_key, deviceName: last.device_name, values },
    },
  }
}

export async function saveMapping(
  asking: Asking,
  id: string,
  { version, rows }: { version: number; rows: MappingRow[] },
  now: Date,
): Promise<SensorMapping> {
  const model = await expectModel(asking.tx, id, 'hold')
  const [newest] = await store.mappingRows(asking.tx, id, 1)
  if ((newest?.version ?? 0) !== version)
    throw refuse('conflict', `${newest?.saved_by ?? 'Someone'} changed the mapping in the meantime. Review it again.`)
  const faults = faultsOfMapping(rows)
  if (faults.length)
    throw refuse(
      'invalid',
      faults[0]!.text,
      faults.map(({ path, text }) => ({
        field: `rows.${rows.findIndex((row) => row.path === path)}`,
        message: `${path}: ${text}`,
      })),
    )
  return writeMapping(asking, model, newest, rows, now)
}

async function writeMapping(
  { tx, person }: Asking,
  model: ModelRow,
  newest: { version: number; rows: MappingRow[] } | undefined,
  rows: MappingRow[],
  now: Date,
): Promise<SensorMapping> {
  if (!newest || !isDeepStrictEqual(newest.rows, rows)) {
    await store.insertMapping(tx, model.id, {
      version: (newest?.version ?? 0) + 1,
      rows,
      savedAt: now,
      savedBy: person.name,
    })
    await audit(tx, {
      ...{ person, action: 'sensor mapping changed', subject: subjectOf(model) },
      ...differencesOf(newest?.rows ?? [], rows),
    })
    await changed(tx, 'connection', [model.id])
  }
  return mappingOf(tx, await expectModel(tx, model.id))
}

/** The rows that differ, by path. */
function differencesOf(before: readonly MappingRow[], after: readonly MappingRow[]) {
  const [old, fresh] = [new Map(before.map((row) => [row.path, row])), new Map(after.map((row) => [row.path, row]))]
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (path) => !isDeepStrictEqual(old.get(path), fresh.get(path)),
  )
  const inWords = (rows: ReadonlyMap<string, MappingRow>) =>
    Object.fromEntries(paths.map((path) => [path, wordOf(rows.get(path))]))
  return { before: inWords(old), after: inWords(fresh) }
}

function wordOf(row: MappingRow | undefined): string | null {
  if (!row) return null
  if (row.to === 'metric') return `${row.metric}, ${row.unit}, factor ${row.factor}`
  if (row.to === 'extra') return `${row.name}, factor ${row.factor}`
  if (row.to === 'state') return row.state
  return row.to === 'event' ? row.event : 'not used'
}

export async function restoreSuggestions(asking: Asking, id: string, now: Date): Promise<SensorMapping> {
  const model = await expectModel(asking.tx, id, 'hold')
  const [newest] = await store.mappingRows(asking.tx, id, 1)
  const { suggestions } = await mappingOf(asking.tx, model)
  return newest ? writeMapping(asking, model, newest, suggestions, now) : mappingOf(asking.tx, model)
}

export async function mappingVersions(tx: TenantTx, id: string) {
  await expectModel(tx, id)
  const rows = await store.mappingRows(tx, id, 100)
  return {
    results: rows.map(({ version, rows: saved, saved_at, saved_by }) => ({
      ...{ version, rows: saved, savedAt: saved_at.toISOString(), savedBy: saved_by },
    })),
  }
}

export async function restoreVersion(asking: Asking, id: string, version: number, now: Date): Promise<SensorMapping> {
  const model = await expectModel(asking.tx, id, 'hold')
  const rows = await store.mappingRows(asking.tx, id, 10_000)
  const wanted = rows.find((row) => row.version === version)
  if (!wanted) throw refuse('not found')
  return writeMapping(asking, model, rows[0], wanted.rows, now)
}

const codecShown = (row: store.CodecRow, active: number | null): CodecVersion => ({
  ...{ version: row.version, source: row.source, savedAt: row.saved_at.toISOString(), savedBy: row.saved_by },
  triedAt: row.tried_at?.toISOString() ?? null,
  activatedAt: row.activated_at?.toISOString() ?? null,
  ...{ activatedBy: row.activated_by, isActive: row.version === active },
})

export async function codecs(tx: TenantTx, id: string) {
  const model = await expectModel(tx, id)
  const rows = await store.codecRows(tx, id)
  return { model: shown(model), results: rows.map((row) => codecShown(row, model.active_codec)) }
}

export async function saveCodec({ tx, person }: Asking, id: string, source: string, now: Date): Promise<CodecVersion> {
  const model = await expectModel(tx, id, 'hold')
  const [newest] = await store.codecRows(tx, id)
  if (newest?.source === source) return codecShown(newest, model.active_codec)
  const row = {
    ...{ version: (newest?.version ?? 0) + 1, source, saved_at: now, saved_by: person.name },
    ...{ tried_at: null, activated_at: null, activated_by: null },
  }
  await store.insertCodec(tx, id, row)
  await audit(tx, { person, action: 'codec version saved', subject: subjectOf(model), after: { version: row.version } })
  await changed(tx, 'connection', [id])
  return codecShown(row, model.active_codec)
}

/** The data of a codec trial, read before the codec runs, so that no database connection is held during the run. */
export async function trialOf(tx: TenantTx, id: string, version: number) {
  const model = await expectModel(tx, id)
  const versions = await store.codecRows(tx, id)
  const codec = versions.find((row) => row.version === version)
  if (!codec) throw refuse('not found')
  return { model, codec, messages: await store.lastUplinks(tx, id, 100) }
}

export async function runTrial(
  runCodec: RunCodec,
  tenant: string,
  { model, codec, messages }: Awaited<ReturnType<typeof trialOf>>,
): Promise<CodecTrial> {
  const tried: (TriedMessage & { isFailed: boolean })[] = []
  for (const { id, received_at, device_key, message, bytes, decoded } of messages) {
    const begun = performance.now()
    const uplink = { ...message, bytes: new Uint8Array(bytes ?? []) } as SensorMessage
    const after = await decodeMessage(
      ...([runCodec, tenant, 'generic-json'] as const),
      { maker: model.maker, model: model.model, codec: { version: codec.version, source: codec.source } },
      uplink,
    )
    const duration = performance.now() - begun
    const isFailed = !after?.samples.length
    tried.push({
      ...{ messageId: id, receivedAt: received_at.toISOString(), deviceKey: device_key, duration, isFailed },
      result: isFailed ? 'Not decoded' : after.warnings.length ? 'Warning' : 'Decoded',
      reason: (isFailed ? after?.errors : after.warnings)?.join('; ').slice(0, 500) || null,
      before: decoded?.samples.length ? valuesOf(decoded.samples) : null,
      after: isFailed ? null : valuesOf(after.samples),
    })
  }
  return {
    ...{ version: codec.version, tried: tried.length, notDecoded: tried.filter((one) => one.isFailed).length },
    decoded: tried.filter(({ result }) => result === 'Decoded').length,
    warnings: tried.filter(({ result }) => result === 'Warning').length,
    slowest: Math.max(0, ...tried.map(({ duration }) => duration)),
    compared: { version: model.active_codec, ...comparisonOf(tried) },
    messages: tried.map(({ isFailed: _, ...one }) => one),
  }
}

const valuesOf = (samples: readonly { values: Values }[]): Values =>
  Object.assign({}, ...samples.map(({ values }) => values))

/** How the values of a trial differ from the stored ones. */
function comparisonOf(tried: readonly TriedMessage[]) {
  const added = new Map<string, number>()
  const changes = new Map<string, { count: number; before: DecodedValue; after: DecodedValue }>()
  let [same, noLongerDecoded] = [0, 0]
  for (const { before, after } of tried) {
    if (!after) {
      if (before) noLongerDecoded++
      continue
    }
    let isSame = before !== null
    for (const [path, value] of Object.entries(after)) {
      const old = before?.[path]
      if (old === value) continue
      isSame = false
      if (old === undefined) added.set(path, (added.get(path) ?? 0) + 1)
      else changes.set(path, { before: old, after: value, count: (changes.get(path)?.count ?? 0) + 1 })
    }
    if (isSame && Object.keys(before!).every((path) => path in after)) same++
  }
  return {
    ...{ same, noLongerDecoded },
    added: [...added].map(([path, count]) => ({ path, count })),
    changed: [...changes].map(([path, change]) => ({ path, ...change })),
  }
}

export async function recordTrial(tx: TenantTx, id: string, version: number, now: Date): Promise<void> {
  await store.updateCodec(tx, id, version, { tried_at: now })
  await changed(tx, 'connection', [id])
}

export async function activateCodec(asking: Asking, id: string, version: number, now: Date) {
  const { tx } = asking
  const model = await expectModel(tx, id, 'hold')
  const row = (await store.codecRows(tx, id)).find((one) => one.version === version)
  if (!row) throw refuse('not found')
  if (!row.tried_at) throw refuse('conflict', `Try version ${version} on stored messages first.`)
  if (model.active_codec !== version) await activate(asking, model, version, 'codec activated', now)
  return codecs(tx, id)
}

/**
 * Activates the version that was active before the current one; before the first one, the built-in decoders were used.
 * The current version becomes a draft, so that rolling back again goes one step further.
 */
export async function rollBack(asking: Asking, id: string, now: Date) {
  const { tx } = asking
  const model = await expectModel(tx, id, 'hold')
  if (model.active_codec === null) throw refuse('conflict', 'No version is active.')
  const [previous] = (await store.codecRows(tx, id))
    .filter((row) => row.activated_at !== null && row.version !== model.active_codec)
    .toSorted((a, b) => +b.activated_at! - +a.activated_at!)
  await store.updateCodec(tx, id, model.active_codec, { activated_at: null, activated_by: null })
  await activate(asking, model, previous?.version ?? null, 'codec rolled back', now)
  return codecs(tx, id)
}

async function activate(
  { tx, person }: Asking,
  model: ModelRow,
  version: number | null,
  action: 'codec activated' | 'codec rolled back',
  now: Date,
): Promise<void> {
  await setActiveCodec(tx, model.id, version)
  if (version !== null) await store.updateCodec(tx, model.id, version, { activated_at: now, activated_by: person.name })
  await audit(tx, {
    ...{ person, action, subject: subjectOf(model) },
    ...{ before: { version: model.active_codec }, after: { version } },
  })
  await changed(tx, 'connection', [model.id])
}

/** The next stored messages of a model that were not decoded, with the current decoder; `next` is where the following call begins. */
export async function notDecoded(tx: TenantTx, id: string, after: string | undefined) {
  await expectModel(tx, id)
  const sensorIds = await store.sensorIdsOfModel(tx, id)
  const sensors = new Map((await sensorsById(tx, sensorIds)).map((sensor) => [sensor.id, sensor]))
  const kinds = await store.kindsOfSensors(tx, sensorIds)
  const page = { limit: storedAtOnce, after: after === undefined ? undefined : endOf(after) }
  const messages = await waitingMessages(tx, sensorIds, ['Not decoded'], page)
  const last = messages.at(-1)
  return {
    messages: messages.map((one) => ({
      ...{ ...one, sensor: sensors.get(one.sensorId)!, kind: kinds.get(one.sensorId)! },
    })),
    next: messages.length === storedAtOnce && last ? `${+last.receivedAt}-${last.id}` : null,
  }
}
export type NotDecoded = Awaited<ReturnType<typeof notDecoded>>['messages'][number]

export async function decodeAll(runCodec: RunCodec, tenant: string, messages: readonly NotDecoded[]) {
  const decoded = []
  for (const one of messages)
    decoded.push({ ...one, decoded: await decodeMessage(runCodec, tenant, one.kind, one.sensor, one.message) })
  return decoded
}

/** Stores messages that can now be decoded, except those that another request has decoded meanwhile. */
export async function storeDecoded(
  { tx, person }: Asking,
  id: string,
  messages: Awaited<ReturnType<typeof decodeAll>>,
  now: Date,
): Promise<{ decoded: number; notDecoded: number }> {
  const model = await expectModel(tx, id)
  const sensorIds = [...new Set(messages.map(({ sensorId }) => sensorId))].toSorted()
  await holdSensors(tx, sensorIds)
  const sensors = new Map((await sensorsById(tx, sensorIds)).map((sensor) => [sensor.id, sensor]))
  const ids = messages.map((one) => one.id)
  const waiting = await waitingMessages(tx, sensorIds, ['Not decoded'], { limit: ids.length, ids })
  const still = new Set(waiting.map((one) => one.id))
  const fitting = messages.filter((one) => still.has(one.id) && sensors.has(one.sensorId))
  const results = await storeDecodedMessages(
    tx,
    openSensorSeries(),
    fitting.map(({ sensorId, message, decoded, receivedAt }) => ({
      sensor: sensors.get(sensorId)!,
      message,
      decoded,
      receivedAt,
    })),
    now,
  )
  await writeMessageResults(
    tx,
    results.map(({ result, reason, outcome }, at) => ({
      id: fitting[at]!.id,
      decoded: fitting[at]!.decoded,
      result,
      reason,
      outcome,
    })),
  )
  const failed = results.filter(({ result }) => result === 'Not decoded').length
  const counts = { decoded: results.length - failed, notDecoded: failed }
  if (messages.length)
    await audit(tx, { person, action: 'messages decoded again', subject: subjectOf(model), after: counts })
  await changed(tx, 'connection', [id])
  return counts
}
