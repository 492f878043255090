import type { DashboardData, WorkCase, Worklist } from '@caretaker/contract/dashboard.ts'
import type { CaseChoice, WorkSubject } from '@caretaker/rules/dashboard/worklist.ts'
import { arrange, shownCases, subjectOf, workCasesFor } from '@caretaker/rules/dashboard/worklist.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { IconArrowRight, IconChevronDown, IconChevronUp } from '../../icons/index.ts'
import { useActor } from '../../api/actor.ts'
import { partsAddress } from '../../api/parts-address.ts'
import { usePreference } from '../../api/use-preference.ts'
import { AppLink } from '../../ui/link.tsx'
import { Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { caseWords } from './case-words.ts'
import { presetLinks, worklistLink } from './links.ts'
import { others } from './listing-partition.ts'
import { WorkRow } from './work-item.tsx'
import classes from './needs-attention.module.css'

interface NeedsAttentionProps {
  worklist: Worklist | undefined
  choice: CaseChoice | undefined
  data: DashboardData | undefined
  mayOpen: (listing: ListingName) => boolean
  isError: boolean
  onRetry: () => void
}

/**
 * The worklist: cards with the two worst items of each case, then all other cases as links, so that no count is
 * missing.
 */
export function NeedsAttention({ worklist, choice, data, mayOpen, isError, onRetry }: NeedsAttentionProps) {
  const actor = useActor()
  const [chosen, open] = usePreference(`dashboardCard ${actor.tenant} ${actor.userId}`)
  if (isError && !worklist)
    return (
      <section className={classes.whole} aria-label="Needs attention">
        <Failed onRetry={onRetry} />
      </section>
    )
  const names = workCasesFor(actor).map((name) => ({ case: name }))
  const { cards, also } = arrange<{ case: WorkCase['case'] } | WorkCase>(worklist?.cases ?? names, choice)
  const opened = cards.some((one) => one.case === chosen) ? chosen : cards[0]?.case
  return (
    <section className={classes.whole} aria-label="Needs attention">
      <div className={classes.cards} data-cases={Math.min(cards.length, shownCases)}>
        {cards.map((one) =>
          'count' in one ? (
            <Case
              key={one.case}
              case={one}
              isOpen={one.case === opened}
              onToggle={() => open(one.case === opened ? 'none' : one.case)}
            />
          ) : (
            <LoadingCase key={one.case} name={one.case} />
          ),
        )}
      </div>
      <OtherCases
        cases={also.filter((one): one is WorkCase => 'count' in one)}
        // For users who do not see properties, failed boilers are a case of their own.
        families={others.filter((name) => name !== 'Boilers' || !names.some((one) => one.case === 'failed boilers'))}
        data={data}
        mayOpen={mayOpen}
      />
    </section>
  )
}

const subjects: Record<WorkSubject, [one: string, more: string]> = {
  homes: ['property', 'properties'],
  lights: ['light', 'lights'],
  gateways: ['gateway', 'gateways'],
  boilers: ['boiler', 'boilers'],
}

function Case({ case: one, isOpen, onToggle }: { case: WorkCase; isOpen: boolean; onToggle: () => void }) {
  const { tenant } = useActor()
  const { title } = caseWords[one.case]
  const [single, several] = subjects[subjectOf(one.case)]
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <article className={classes.case} data-open={isOpen || undefined} aria-label={title}>
      <CaseHead name={one.case} count={one.count} />
      {one.count > 0 && (
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <Chevron size={18} role="img" aria-label={`${isOpen ? 'Less' : 'More'} of ${title}`} />
        </button>
      )}
      {one.worst.length > 0 && (
        <ul className={classes.worst}>
          {one.worst.map((item) => (
            <li key={item.kind === 'home' ? item.propertyId : item.deviceId}>
              <WorkRow name={one.case} item={item} />
            </li>
          ))}
        </ul>
      )}
      {one.count > 0 && (
        <div className={classes.foot}>
          <AppLink className={classes.link} href={worklistLink(tenant, one)}>
            View {one.count.toLocaleString('en-GB')} {one.count === 1 ? single : several}
            <IconArrowRight size={15} aria-hidden />
          </AppLink>
          {one.late !== null && (
            <span>
              {one.late.toLocaleString('en-GB')} late, {(one.count - one.late).toLocaleString('en-GB')} due
            </span>
          )}
          {one.case === 'failed lights' && (
            <AppLink className={classes.link} href={partsAddress(tenant)}>
              Parts list
            </AppLink>
          )}
        </div>
      )}
    </article>
  )
}

function CaseHead({ name, count }: { name: WorkCase['case']; count?: number }) {
  const { icon: Icon, tone, title } = caseWords[name]
  return (
    <h2 className={classes.head}>
      <span className={classes.icon} data-tone={count === 0 ? 'quiet' : tone}>
        <Icon size={20} stroke={1.7} aria-hidden />
      </span>
      {count !== undefined && (
        <b data-zero={count === 0 || undefined} className={classes.count}>
          {count.toLocaleString('en-GB')}
        </b>
      )}{' '}
      <span>{title}</span>
    </h2>
  )
}

function LoadingCase({ name }: { name: WorkCase['case'] }) {
  const { title } = caseWords[name]
  return (
    <article className={classes.case} aria-label={title}>
      <CaseHead name={name} />
      <Loading label={`Loading ${title}`}>
        <LoadingLines lines={2} />
      </Loading>
    </article>
  )
}

interface OtherCasesProps {
  cases: readonly WorkCase[]
  families: readonly (typeof others)[number][]
  data: DashboardData | undefined
  mayOpen: (listing: ListingName) => boolean
}

/** The cases without a card, and failures of other families, so that no count is missing. */
function OtherCases({ cases, families, data, mayOpen }: OtherCasesProps) {
  const { tenant } = useActor()
  const counted = cases.filter(({ count }) => count > 0)
  const failed = families.flatMap((name) => {
    const count = data?.listings[name].fail ?? 0
    return count > 0 && mayOpen(name) ? [{ name, count }] : []
  })
  if (counted.length + failed.length === 0) return undefined
  return (
    <div className={classes.also}>
      {counted.length > 0 && (
        <p>
          Also{' '}
          {counted.map((one) => (
            <AppLink key={one.case} href={worklistLink(tenant, one)}>
              {caseWords[one.case].also(one.count)}
            </AppLink>
          ))}
        </p>
      )}
      {failed.length > 0 && (
        <p>
          Also failed{' '}
          {failed.map(({ name, count }) => (
            <AppLink key={name} href={presetLinks(tenant, name).fail!}>
              {count.toLocaleString('en-GB')} {listings[name].label}
            </AppLink>
          ))}
        </p>
      )}
    </div>
  )
}
