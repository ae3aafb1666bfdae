package app

import (
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/settings"
	"discoclaw/internal/actions/utility"
	"discoclaw/internal/models"
)

// categories is everything the bot can do, in the order in which models and
// people read about it. Adding a category is a line here.
func categories(m *models.Assignments) []actions.Category {
	return []actions.Category{
		settings.New(m),
		utility.New(),
	}
}
