/** The keys of a body that ask for more than rows. */
export const partKeys = ['aggregates', 'facets', 'group_by', 'groups_page', 'explain', 'include'] as const
