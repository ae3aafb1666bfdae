package imagegen

import (
	"errors"
	"fmt"
)

// CheckModel returns why pictures cannot be made by the model of the settings, or notes about it.
func (s *Studio) CheckModel() (problems, notes []string) {
	const setting = "IMAGEGEN_DEFAULT_MODEL: "
	if s.Model == "" {
		return nil, nil
	}
	order, err := s.Order(Wish{Prompt: "a test"})
	if err != nil {
		return []string{setting + err.Error()}, nil
	}
	if failed, ok := errors.AsType[*Failure](s.Ready(order)); ok {
		return []string{fmt.Sprintf(setting+"there is no key for %s; %s", order.Model, failed.Remedy)}, nil
	}
	if day, successor := s.Retirement(order); day != "" {
		return nil, []string{fmt.Sprintf(setting+"its vendor retires %s on %s; set it to %s", order.Model, day, successor)}
	}
	return nil, nil
}
