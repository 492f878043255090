import type { ReactNode } from 'react'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { Card, Figure } from '../../ui/card.tsx'
import { StatusBar, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { LoadingCard } from './loading-card.tsx'
import type { SummaryLinks } from './links.ts'
import classes from './dashboard.module.css'

interface FamilyCardProps {
  title: string
  icon: ReactNode
  /** The links of the title and figures, which are plain text if there are none. */
  links: SummaryLinks
  /** Undefined while loading. */
  counts: DeviceSummary | undefined
}

/** A device family on the dashboard: number and status. */
export function FamilyCard({ title, icon, links, counts }: FamilyCardProps) {
  if (!counts) return <LoadingCard title={title} icon={icon} />
  const segments = statusSegments(counts, links)
  return (
    <Card
      title={title}
      icon={icon}
      href={links.title}
      total={counts.total}
      footer={<Stock counts={counts} links={links} />}
      className={classes.small}
    >
      <StatusBar label={title} segments={segments} />
      <StatusLegend segments={segments} layout="columns" />
    </Card>
  )
}

/** Installed, in stock or neither: the figures add up to the total. */
export function Stock({ counts, links }: { counts: DeviceSummary; links: SummaryLinks }) {
  const rest = counts.total - counts.installed - counts.inventory
  return (
    <>
      <Figure label="Installed" value={counts.installed} href={links.installed} />
      <Figure label="Inventory" value={counts.inventory} href={links.inventory} />
      {rest > 0 && <Figure label="Uninstalled" value={rest} href={links.uninstalled} />}
    </>
  )
}
