import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigureNames, systemFigures, togetherOf } from '@caretaker/rules/system/figures.ts'
import type { Context } from '../../context.ts'

/** How often a process says how it does, in ms. */
const every = 5000
/** Seconds after which the word of a process that says nothing more counts no longer, and is forgotten. */
const counts = 30
const forgotten = 3600

/** What this process knows of a figure; undefined where it is another's. */
export async function knownHere(metrics: Registry, name: SystemFigure): Promise<number | undefined> {
  return (await metrics.getSingleMetric(systemFigures[name].metric)?.get())?.values[0]?.value
}

/** Says every few seconds what this process knows of itself alone, so that any other can tell of it, until it is stopped. */
export function tellOfProcess(
  { owner, metrics, log }: Pick<Context, 'owner' | 'metrics' | 'log'>,
  pause = every,
): { stop(): Promise<void> } {
  const process = randomUUID()
  let telling: Promise<void> | undefined
  const tell = async () => {
    const names = systemFigureNames.filter(togetherOf)
    const values = await Promise.all(names.map((name) => knownHere(metrics, name)))
    const known = names.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]] as const]))
    if (!known.length) return
    await owner.query(
      `insert into process_figure (process, name, value, told_at)
       select $1, told.name, told.value, now() from unnest($2::text[], $3::float8[]) as told (name, value)
       on conflict (process, name) do update set value = excluded.value, told_at = excluded.told_at`,
      [process, known.map(([name]) => name), known.map(([, value]) => value)],
    )
    await owner.query('delete from process_figure where told_at < now() - make_interval(secs => $1)', [forgotten])
  }
  const turn = () => {
    telling ??= tell()
      // The database is away, or closed before this: what a process cannot say counts no longer by itself.
      .catch((error: unknown) => log.debug({ err: error }, 'figures of this process'))
      .finally(() => (telling = undefined))
  }
  turn()
  const timer = setInterval(turn, pause)
  return {
    stop: async () => {
      clearInterval(timer)
      await telling
      await owner.query('delete from process_figure where process = $1', [process]).catch(() => {})
    },
  }
}

/** What the processes that are there say of these figures, each as one; what nobody knows is not in it. */
export async function toldByAll(owner: Context['owner']): Promise<Map<string, number>> {
  const { rows } = await owner.query<{ name: SystemFigure; most: number; sum: number }>(
    `select name, max(value) as most, sum(value) as sum from process_figure
     where told_at > now() - make_interval(secs => $1) group by name`,
    [counts],
  )
  return new Map(rows.map(({ name, ...values }) => [name, values[togetherOf(name) ?? 'most']]))
}
