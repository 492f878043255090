import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { IconArrowLeft } from '../icons/index.ts'
import { AppLink } from './link.tsx'
import classes from './page-head.module.css'

export interface PageTab {
  id: string
  label: string
  href: string
  /** Only if it matters; `worry` for faults and failed tests, or something due soon. */
  count?: number
  worry?: boolean | 'near'
  /** After a divider, at the end. */
  developer?: boolean
}

interface PageHeadProps {
  /** The listing it was opened from, with its filters in the address. */
  back?: { href: string; label: string }
  title: ReactNode
  icon?: ReactNode
  /** Status chip and connection: at most two. */
  chips?: ReactNode
  /** The place: serial number, property, building, floor. Each child is one item. */
  place?: ReactNode
  actions?: ReactNode
  /** Shown on every tab, below the name. */
  standing?: ReactNode
  tabs?: PageTab[]
  activeTab?: string
}

/** The header of every detail page: back link, name, status, place and actions; its tabs stay visible. */
export function PageHead({ tabs = [], activeTab, ...head }: PageHeadProps) {
  const hasTabs = tabs.length > 0
  return (
    <>
      <Head {...head} hasTabs={hasTabs} />
      {hasTabs && <Tabs tabs={tabs} activeTab={activeTab} />}
    </>
  )
}

interface HeadProps extends Omit<PageHeadProps, 'tabs' | 'activeTab'> {
  hasTabs: boolean
}

function Head({ back, title, icon, chips, place, actions, standing, hasTabs }: HeadProps) {
  return (
    <header className={classes.head} data-tabs={hasTabs || undefined}>
      {back && (
        <AppLink href={back.href} className={classes.back}>
          <IconArrowLeft size={16} aria-hidden />
          {back.label}
        </AppLink>
      )}
      <div className={classes.band}>
        {icon && (
          <span className={classes.icon} aria-hidden>
            {icon}
          </span>
        )}
        <h1 className={classes.title}>{title}</h1>
        {chips && <div className={classes.chips}>{chips}</div>}
        {place && <div className={classes.place}>{place}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {standing}
    </header>
  )
}

/** The tabs, which scroll sideways if they do not fit; the shown one is visible. */
function Tabs({ tabs, activeTab }: { tabs: PageTab[]; activeTab: string | undefined }) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const active = [...(nav.current?.children ?? [])].find((tab) => (tab as HTMLElement).dataset['tab'] === activeTab)
    if (!nav.current || !(active instanceof HTMLElement)) return
    const { offsetLeft, offsetWidth } = active
    const { scrollLeft, clientWidth } = nav.current
    if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth)
      nav.current.scrollLeft = offsetLeft - (clientWidth - offsetWidth) / 2
  }, [activeTab])
  return (
    <nav ref={nav} className={classes.tabs} aria-label="Sections of this page">
      {tabs.map((tab) => (
        <AppLink
          key={tab.id}
          href={tab.href}
          className={classes.tab}
          data-tab={tab.id}
          aria-current={tab.id === activeTab ? 'page' : undefined}
          data-developer={tab.developer || undefined}
        >
          {tab.label}
          {tab.count !== undefined && (
            <span className={classes.count} data-worry={tab.worry || undefined}>
              {tab.count.toLocaleString('en-GB')}
            </span>
          )}
        </AppLink>
      ))}
    </nav>
  )
}
