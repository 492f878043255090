import { IconLock, IconShieldHalf, IconWorld } from '../../icons/index.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { viewGroup } from '@caretaker/rules/views/view.ts'

const icons = { system: IconShieldHalf, public: IconWorld, private: IconLock }
/** What the three kinds of views are called. */
export const groupNames = { system: 'System', public: 'Public', private: 'Private' }

/** Which of the three kinds a view is, for those who do not see the icon as a word. */
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
