import { useState } from 'react'
import { Button, CloseButton, MultiSelect, Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import {
  IconAdjustmentsHorizontal,
  IconBulb,
  IconCertificate,
  IconChevronLeft,
  IconChevronRight,
  IconCircleXFilled,
  IconDownload,
  IconDroplet,
  IconFileDownload,
  IconListDetails,
  IconRefresh,
  IconTemperature,
} from '../../icons/index.ts'
import type { Answer } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { ReportRun } from '@caretaker/contract/reports.ts'
import type { getReports } from '@caretaker/contract/calls/reports.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import {
  monthNames,
  monthOf,
  monthWords,
  presetMonth,
  reportMonths,
  reportYears,
} from '@caretaker/rules/reports/months.ts'
import { useActor } from '../../api/actor.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { reportsQuery } from './queries.ts'
import type { Choice } from './use-download.ts'
import { nameOf, saveReport, showDownloadFailure, useDownload } from './use-download.ts'
import classes from './reports.module.css'

type Offer = Answer<RouteOf<typeof getReports>>
type Report = Offer['reports'][number]

const icons: Partial<Record<ReportType, typeof IconBulb>> = {
  Overview: IconListDetails,
  DampAndMould: IconDroplet,
  FuelPoverty: IconTemperature,
  GasSafety: IconCertificate,
  FailedEmeredReport: IconBulb,
}

/** One card per available report; one can be customised. */
export function ReportCards() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(reportsQuery(tenant))
  const [customised, setCustomised] = useState<ReportType>()
  if (isError && !data) return <Failed onRetry={() => void refetch()} />
  if (!data) return <Loading />
  if (!data.reports.length) return <Empty text="No reports" />
  const chosen = data.reports.find(({ reportType }) => reportType === customised)
  return (
    <div className={classes.manager} data-customising={chosen ? true : undefined}>
      <ul className={classes.cards}>
        {data.reports.map((report) => (
          <li key={report.reportType}>
            <ReportCard
              offer={data}
              report={report}
              isCustomised={report.reportType === customised}
              onCustomise={(open) => setCustomised(open ? report.reportType : undefined)}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface CardProps {
  offer: Offer
  report: Report
  isCustomised: boolean
  onCustomise: (open: boolean) => void
}

function ReportCard({ offer, report, isCustomised, onCustomise }: CardProps) {
  const { tenant } = useActor()
  const { run } = useSearch({ strict: false }) as { run?: string }
  const { state, rows, download, failed, kept } = useDownload(tenant, report.reportType, run)
  const running = report.isMonthly ? monthOf(offer.today) : null
  const Icon = icons[report.reportType] ?? IconListDetails
  return (
    <section className={classes.card} aria-label={report.label} data-customised={isCustomised || undefined}>
      <div className={classes.head}>
        <span className={classes.icon} aria-hidden>
          <Icon size={20} stroke={1.7} />
        </span>
        <div>
          <h2>{report.label}</h2>
          <p className={classes.about}>{report.description}</p>
        </div>
      </div>
      <Preview columns={report.preview} tones={tones[report.reportType]} />
      <div className={classes.actions}>
        {state === 'failed' && failed ? (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => void download(failed)}
          >
            Retry
          </Button>
        ) : (
          <Button
            variant="default"
            loading={state === 'pending'}
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => void download({ month: running, tagIds: [], format: 'xlsx' })}
          >
            {state === 'pending' ? 'Preparing …' : 'Download'}
          </Button>
        )}
        {report.isMonthly && state !== 'pending' && (
          <Button
            variant={isCustomised ? 'light' : 'default'}
            aria-expanded={isCustomised}
            leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
            onClick={() => onCustomise(!isCustomised)}
          >
            Customise
          </Button>
        )}
        <span className={classes.state} role="status">
          {state === 'pending' ? (
            `${rows ? `${rows.toLocaleString('en-GB')} rows so far. ` : ''}Continues if you leave the page`
          ) : state === 'failed' ? (
            <span className={classes.failure}>
              <IconCircleXFilled size={16} aria-hidden /> Failed to download report
            </span>
          ) : running ? (
            `${monthWords(running)}, so far`
          ) : (
            'Current data'
          )}
        </span>
      </div>
      {kept && state !== 'pending' && <KeptRun run={kept} />}
      {isCustomised && (
        <Customise
          offer={offer}
          label={report.label}
          isPending={state === 'pending'}
          onDownload={(choice) => void download(choice)}
          onClose={() => onCustomise(false)}
        />
      )}
    </section>
  )
}

/** The last prepared file of a report, whichever page or schedule requested it. */
function KeptRun({ run }: { run: ReportRun }) {
  const { tenant } = useActor()
  const [busy, setBusy] = useState(false)
  const save = () => {
    setBusy(true)
    saveReport(tenant, run.runId)
      .catch(showDownloadFailure)
      .finally(() => setBusy(false))
  }
  return (
    <p className={classes.kept}>
      <span className={classes.about}>
        {[run.month && monthWords(run.month), ...run.tags].filter(Boolean).join(', ')} written{' '}
        <TimeOf at={run.finishedAt ?? run.askedAt} />
      </span>
      <Button
        size="xs"
        variant="subtle"
        loading={busy}
        leftSection={<IconFileDownload size={14} aria-hidden />}
        aria-label={`Save ${nameOf(run)}`}
        onClick={save}
      >
        Save
      </Button>
    </p>
  )
}

/** The colours of a preview's last column, by row. */
const tones: Partial<Record<ReportType, readonly Tone[]>> = {
  Overview: ['passed', 'warning', 'failed'],
  DampAndMould: ['failed', 'warning', 'passed'],
  FuelPoverty: ['warning', 'warning', 'passed'],
  GasSafety: ['failed', 'warning', 'passed'],
  // All rows have failed.
  FailedEmeredReport: ['failed', 'failed', 'failed'],
}
type Tone = 'passed' | 'warning' | 'failed'

/** A preview of the file: some columns with placeholder rows. */
function Preview({ columns, tones: of }: { columns: readonly string[]; tones: readonly Tone[] | undefined }) {
  return (
    <div className={classes.preview} aria-hidden>
      {columns.map((column, at) => (
        <div key={column}>
          <b>{column}</b>
          {['a', 'b', 'c'].map((row, index) => (
            <i key={row} data-tone={at === columns.length - 1 ? of?.[index] : undefined} />
          ))}
        </div>
      ))}
    </div>
  )
}

interface CustomiseProps {
  offer: Offer
  label: string
  isPending: boolean
  onDownload: (choice: Choice) => void
  onClose: () => void
}

/** The month, tags and file type of a report. */
function Customise({ offer, label, isPending, onDownload, onClose }: CustomiseProps) {
  const { today, tags } = offer
  const [month, setMonth] = useState<Month>(() => presetMonth(today))
  const [year, setYear] = useState(month.year)
  const [tagIds, setTagIds] = useState(() => tags.filter(({ isOwn }) => isOwn).map(({ id }) => id))
  const [format, setFormat] = useState<ReportFormat>('xlsx')
  const years = reportYears(today)
  const open = reportMonths(year, today)
  const now = monthOf(today)
  return (
    <section className={classes.panel} aria-label={`Customise ${label}`}>
      <header className={classes.panelHead}>
        <div>
          <h2>{label}</h2>
          <span className={classes.about}>Customise the report</span>
        </div>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      <div className={classes.fields}>
        <fieldset className={classes.months}>
          <legend>Month</legend>
          <div className={classes.years}>
            <Button
              variant="default"
              aria-label="Year before"
              disabled={year === years.at(-1)}
              onClick={() => setYear(year - 1)}
            >
              <IconChevronLeft size={16} aria-hidden />
            </Button>
            <select aria-label="Year" value={year} onChange={(event) => setYear(Number(event.currentTarget.value))}>
              {years.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
            <Button
              variant="default"
              aria-label="Year after"
              disabled={year === years[0]}
              onClick={() => setYear(year + 1)}
            >
              <IconChevronRight size={16} aria-hidden />
            </Button>
          </div>
          <div className={classes.keys}>
            {open.map((one) => (
              <Button
                key={one}
                variant={month.year === year && month.month === one ? 'filled' : 'default'}
                aria-pressed={month.year === year && month.month === one}
                aria-label={`${monthNames[one - 1]!.slice(0, 3)} ${year}`}
                onClick={() => setMonth({ year, month: one })}
              >
                {monthNames[one - 1]!.slice(0, 3)}
              </Button>
            ))}
          </div>
          {year === now.year && (
            <p className={classes.hint}>
              Whole months only; {monthNames[now.month - 1]} can be chosen when it is over.
            </p>
          )}
        </fieldset>
        <MultiSelect
          label="Tags"
          description={
            tags.some(({ isOwn }) => isOwn)
              ? 'Starts with your own tags. No tags: everything you can see.'
              : 'No tags: everything you can see.'
          }
          data={tags.map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={tagIds.length ? undefined : 'All'}
          nothingFoundMessage="No tags"
          searchable
          clearable
          value={tagIds}
          onChange={setTagIds}
        />
        <Radio.Group label="File" value={format} onChange={(value) => setFormat(value as ReportFormat)}>
          <div className={classes.formats}>
            <Radio value="xlsx" label="Excel workbook" description="A summary sheet and a data sheet" />
            <Radio value="csv" label="CSV" description="Data only" />
          </div>
        </Radio.Group>
      </div>
      <footer className={classes.panelFoot}>
        <span className={classes.about}>
          {monthWords(month)}
          {tagIds.length > 0 && `, ${tagIds.length} ${tagIds.length === 1 ? 'tag' : 'tags'}`}
        </span>
        <Button
          fullWidth
          loading={isPending}
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => onDownload({ month, tagIds, format })}
        >
          Download
        </Button>
      </footer>
    </section>
  )
}
