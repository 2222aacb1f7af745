// Signal generators and fakes.
