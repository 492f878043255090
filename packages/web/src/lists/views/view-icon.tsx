import { IconLock, IconShieldHalf, IconWorld } from '../../icons/index.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { viewGroup } from '@caretaker/rules/views/view.ts'

const icons = { system: IconShieldHalf, public: IconWorld, private: IconLock }
/** The names of the three kinds of views. */
export const groupNames = { system: 'System', public: 'Public', private: 'Private' }

/** The kind of a view, as an icon with a screen reader text. */
export function ViewIcon({ view }: { view: Pick<View, 'builtIn' | 'private'> }) {
  const group = viewGroup(view)
  const Icon = icons[group]
  return (
    <>
      <Icon size={16} stroke={1.7} aria-hidden />
      <span className="visually-hidden">{groupNames[group]} view: </span>
    </>
  )
}
