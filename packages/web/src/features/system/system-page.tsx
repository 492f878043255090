import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconActivity, IconAlertTriangleFilled, IconCircleCheckFilled, IconClockPlay } from '../../icons/index.ts'
import type { SystemStatus } from '@caretaker/contract/system.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { figureText, isOverBound, systemFigures } from '@caretaker/rules/system/figures.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Card } from '../../ui/card.tsx'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { systemQuery } from './queries.ts'
import classes from './system.module.css'

type Figure = SystemStatus['figures'][number]
type Job = SystemStatus['jobs'][number]
const noJobs: Job[] = []

/**
 * The health of the installation for developers: the metrics of its alert rules with the same limits, and its
 * background jobs.
 */
export function SystemPage() {
  const { actor, client } = usePresence()
  usePageTitle('System', client.displayName)
  const { data, isError, refetch } = useQuery(systemQuery)
  const columns = useMemo(() => jobColumns(), [])
  return (
    <div className={classes.page}>
      <PageHead
        back={{ href: pathTo(actor.tenant, 'Settings'), label: 'Settings' }}
        title="System"
        place={data && <Process status={data} />}
      />
      <div className={classes.cards}>
        <Card title="Figures" icon={<IconActivity stroke={1.7} aria-hidden />}>
          {data && <Figures figures={data.figures} />}
          {isError && !data && <Failed onRetry={() => void refetch()} />}
          {!data && !isError && (
            <Loading>
              <LoadingLines lines={8} />
            </Loading>
          )}
        </Card>
        <Card title="Jobs in the last 24 hours" icon={<IconClockPlay stroke={1.7} aria-hidden />}>
          <GenericTable
            label="Jobs"
            columns={columns}
            rows={data?.jobs ?? noJobs}
            rowId={({ name }) => name}
            rowHref={() => undefined}
            status={data ? 'ready' : isError ? 'failed' : 'loading'}
            onRetry={() => void refetch()}
            empty={
              <Empty text="No data available" hint="No worker has run on this installation in the last 24 hours." />
            }
            phoneRow={phoneRow}
          />
        </Card>
      </div>
    </div>
  )
}

function Process({ status: { version, parts, startedAt } }: { status: SystemStatus }) {
  return (
    <>
      <span>Version {version}</span>
      <span>Answered by {parts.join(', ')}</span>
      <span>
        Running since <TimeOf at={startedAt} />
      </span>
    </>
  )
}

function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <FigureRow key={figure.name} {...figure} />
      ))}
    </dl>
  )
}

function FigureRow({ name, value }: Figure) {
  const { label, meaning, metric, unit, ...bounds } = systemFigures[name]
  const isBad = isOverBound(name, value)
  const isJudged = value !== null && ('most' in bounds || 'least' in bounds)
  return (
    <div className={classes.figure} data-bad={isBad || undefined}>
      <dt>
        <span className={classes.label}>{label}</span>
        <span className={classes.hint}>{meaning}</span>
      </dt>
      <dd title={metric}>
        {value === null ? (
          <span className={classes.hint}>No data reported</span>
        ) : (
          <span className={classes.value}>
            {isJudged && <Verdict isBad={isBad} />}
            <b>{figureText(unit, value)}</b>
          </span>
        )}
        {'most' in bounds && bounds.most > 0 && (
          <span className={classes.hint}>at most {figureText(unit, bounds.most)}</span>
        )}
        {'least' in bounds && unit === 'share' && (
          <span className={classes.hint}>at least {figureText(unit, bounds.least)}</span>
        )}
      </dd>
    </div>
  )
}

/** Not by colour alone. */
function Verdict({ isBad }: { isBad: boolean }) {
  const Icon = isBad ? IconAlertTriangleFilled : IconCircleCheckFilled
  return (
    <span className={classes.verdict} data-tone={isBad ? 'bad' : 'good'}>
      <Icon size={16} aria-hidden />
      <span className="visually-hidden">{isBad ? 'Needs attention' : 'Good'}</span>
    </span>
  )
}

function jobColumns(): GenericColumn<Job>[] {
  return [
    { id: 'name', header: 'Job', width: 190, value: ({ name }) => name, cell: ({ name }) => name },
    {
      id: 'ended',
      header: 'Last ended',
      width: 150,
      value: ({ lastEndedAt }) => lastEndedAt,
      cell: ({ lastEndedAt }) => (lastEndedAt ? <TimeOf at={lastEndedAt} /> : '–'),
    },
    {
      id: 'seconds',
      header: 'Took',
      width: 90,
      value: ({ seconds }) => seconds,
      cell: ({ seconds }) => (seconds === null ? '–' : figureText('seconds', seconds)),
    },
    {
      id: 'done',
      header: 'Done',
      width: 90,
      value: ({ done }) => done,
      cell: ({ done }) => done.toLocaleString('en-GB'),
    },
    {
      id: 'failed',
      header: 'Failed',
      width: 90,
      value: ({ failed }) => failed,
      cell: ({ failed }) => <Failures count={failed} />,
    },
  ]
}

function Failures({ count }: { count: number }) {
  if (!count) return '0'
  return (
    <span className={classes.failures}>
      <Verdict isBad />
      {count.toLocaleString('en-GB')}
    </span>
  )
}

function phoneRow({ name, lastEndedAt, done, failed }: Job) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.label}>{name}</b>
      <span className={classes.hint}>
        {lastEndedAt && <TimeOf at={lastEndedAt} />} {done.toLocaleString('en-GB')} done,{' '}
        {failed.toLocaleString('en-GB')} failed
      </span>
    </span>
  )
}
