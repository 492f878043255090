import { useQuery } from '@tanstack/react-query'
import { IconBug } from '../../icons/index.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { buildQuery } from '../../api/build.ts'
import { Card } from '../../ui/card.tsx'
import classes from './dashboard.module.css'

/** The data that determines the content for this user, and the build. */
export function DebugPanel({ actor }: { actor: Actor }) {
  const build = useQuery(buildQuery)
  const lines = {
    Tenant: actor.tenant,
    Role: actor.role,
    Features: inWords(actor.features),
    Capabilities: inWords(actor.capabilities),
    Build: build.data ? `${build.data.number}, ${build.data.branch}, ${build.data.commit}` : 'not known',
  }
  return (
    <Card title="System debug" icon={<IconBug stroke={1.7} aria-hidden />} className={classes.wide}>
      <dl className={classes.debug}>
        {Object.entries(lines).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const inWords = (names: readonly string[]) => [...names].sort().join(', ') || 'none'
