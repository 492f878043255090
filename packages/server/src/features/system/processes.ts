import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { partOf, systemFigureNames, systemFigures, togetherOf } from '@caretaker/rules/system/figures.ts'
import type { Context } from '../../context.ts'

/** How often a process stores its figures, in ms. */
const every = 5000
/** Seconds after which the figures of a silent process are ignored and deleted. */
const counts = 30
const forgotten = 3600

/** Represents any process, in the one row that records when a part last worked. */
const anyProcess = '00000000-0000-0000-0000-000000000000'
const partRow = 'part '

/** This process's value of a figure; undefined if another process has it. */
export async function knownHere(metrics: Registry, name: SystemFigure): Promise<number | undefined> {
  const found = await metrics.getSingleMetric(systemFigures[name].metric)?.get()
  const part = partOf(name)
  return found?.values.find(({ labels }) => part === undefined || labels.part === part)?.value
}

/**
 * Until it is stopped, stores every few seconds the figures that only this process knows and which parts are working in
 * it, so that every process can show them.
 */
export function reportProcess(
  { owner, metrics, log, partChecks }: Pick<Context, 'owner' | 'metrics' | 'log' | 'partChecks'>,
  pause = every,
): { stop(): Promise<void> } {
  const process = randomUUID()
  let reporting: Promise<void> | undefined
  const report = async () => {
    const names = systemFigureNames.filter(togetherOf)
    const values = await Promise.all(names.map((name) => knownHere(metrics, name)))
    const known = names.flatMap((name, at) => (values[at] === undefined ? [] : [[process, name, values[at]] as const]))
    const working = (await partChecks?.faults())?.filter(({ fault }) => fault === undefined) ?? []
    const rows = [...known, ...working.map(({ part }) => [anyProcess, `${partRow}${part}`, 1] as const)]
    if (!rows.length) return
    await owner.query(
      `insert into process_figure (process, name, value, told_at)
       select input.process, input.name, input.value, now()
       from unnest($1::uuid[], $2::text[], $3::float8[]) as input (process, name, value)
       on conflict (process, name) do update set value = excluded.value, told_at = excluded.told_at`,
      [rows.map(([of]) => of), rows.map(([, name]) => name), rows.map(([, , value]) => value)],
    )
    // Rows in the future were written before the database clock was set back: a working process writes them again.
    await owner.query(
      `delete from process_figure where told_at > now() + interval '1 minute'
         or (process <> $2 and told_at < now() - make_interval(secs => $1))`,
      [forgotten, anyProcess],
    )
  }
  const turn = () => {
    reporting ??= report()
      // The database is unavailable or already closed: figures that are not stored expire by themselves.
      .catch((error: unknown) => log.debug({ err: error }, 'figures of this process'))
      .finally(() => (reporting = undefined))
  }
  turn()
  const timer = setInterval(turn, pause)
  return {
    stop: async () => {
      clearInterval(timer)
      await reporting
      await owner.query('delete from process_figure where process = $1', [process]).catch(() => {})
    },
  }
}

/** How many seconds ago each part last worked in any process; parts never seen are missing. */
export async function lastSeen(owner: Context['owner'], patience: number): Promise<Map<string, number> | undefined> {
  const question = {
    text: `select substr(name, length($1) + 1) as part, greatest(0, extract(epoch from now() - told_at))::float8 as seconds
       from process_figure where process = $2 and starts_with(name, $1)`,
    values: [partRow, anyProcess],
    query_timeout: patience,
  }
  return owner.query<{ part: string; seconds: number }>(question).then(
    ({ rows }) => new Map(rows.map(({ part, seconds }) => [part, seconds])),
    () => undefined,
  )
}

/** The figures of all running processes, each combined into one value; unknown ones are missing. */
export async function figuresOfAll(owner: Context['owner']): Promise<Map<string, number>> {
  const { rows } = await owner.query<{ name: SystemFigure; most: number; least: number; sum: number }>(
    // Processes of a later version may store other figures.
    `select name, max(value) as most, min(value) as least, sum(value) as sum from process_figure
     where told_at > now() - make_interval(secs => $1) and name = any($2) group by name`,
    [counts, systemFigureNames.filter(togetherOf)],
  )
  return new Map(rows.map(({ name, ...values }) => [name, values[togetherOf(name) ?? 'most']]))
}
