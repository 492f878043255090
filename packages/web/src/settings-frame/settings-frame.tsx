import type { ReactNode } from 'react'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { SettingsTab } from '@caretaker/rules/shell/settings-tabs.ts'
import { addressOfTab, settingsTabsFor } from '@caretaker/rules/shell/settings-tabs.ts'
import { usePresence } from '../api/actor.ts'
import { usePageTitle } from '../api/page-title.ts'
import { PageHead } from '../ui/page-head.tsx'
import classes from './settings-frame.module.css'

interface SettingsFrameProps {
  tab: SettingsTab['id']
  /** The page scrolls as a whole, for content below the table. */
  flows?: boolean
  children: ReactNode
}

/** The settings of a client, one tab per subject. The content appears only if the actor sees the tab. */
export function SettingsFrame({ tab, flows = false, children }: SettingsFrameProps) {
  const { actor, client } = usePresence()
  const shown = settingsTabsFor(actor)
  const active = shown.find(({ id }) => id === tab)
  const tabs = shown.map((one) => ({ ...one, href: pathTo(actor.tenant, 'Settings', addressOfTab(one)) }))
  const tenants = {
    id: 'Tenants',
    label: 'Tenants',
    href: pathTo(actor.tenant, 'Settings', 'Tenants'),
    developer: true,
  }
  const system = { ...tenants, id: 'System', label: 'System', href: pathTo(actor.tenant, 'Settings', 'System') }
  const ofVendor = [...(can(actor, 'see tenants') ? [tenants] : []), ...(can(actor, 'see system') ? [system] : [])]
  usePageTitle(active && ('title' in active ? active.title : active.label), 'Settings', client.displayName)
  return (
    <div className={classes.page} data-flows={flows || undefined}>
      <PageHead title="Settings" tabs={[...tabs, ...ofVendor]} activeTab={tab} />
      {active && 'title' in active && <h2 className={classes.title}>{active.title}</h2>}
      {active && children}
    </div>
  )
}
