import type { ReactNode } from 'react'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { Card, Figure } from '../../ui/card.tsx'
import { Donut, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import classes from './dashboard.module.css'

interface FamilyCardProps {
  title: string
  icon: ReactNode
  /** Where the title leads; without it the title is plain text. */
  href: string | undefined
  counts: DeviceSummary
}

/** A device family on the dashboard: how many there are, and how they are. */
export function FamilyCard({ title, icon, href, counts }: FamilyCardProps) {
  const segments = statusSegments(counts)
  const footer = (
    <>
      <Figure label="Installed" value={counts.installed} />
      <Figure label="Inventory" value={counts.inventory} />
    </>
  )
  return (
    <Card title={title} icon={icon} {...(href ? { href } : {})} total={counts.total} footer={footer}>
      <div className={classes.family}>
        <Donut label={title} segments={segments} width={124} />
        <StatusLegend segments={segments} layout="rows" />
      </div>
    </Card>
  )
}
